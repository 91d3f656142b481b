#include "dsm/engine/service.hpp"

#include "base/clock.hpp"
#include "base/message.hpp"
#include "dsm/engine/futex_waiters.hpp"
#include "dsm/process/private_threads.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

/// With real-time priority the kernel ends the process once such a thread has computed for that long without a pause.
bool real_time_is_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Service threads must run at once when there is something to do: whole teams wait for them.
void raise_priority() {
  sched_param parameters{};
  parameters.sched_priority = 1;
  if (real_time_is_limited() || sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), -20); // refused too where not allowed; then as it is
}

} // namespace

void Service::watch_node_process(uint32_t node, pid_t pid, int pidfd) { watched_.push_back({node, pid, pidfd}); }

void Service::start(uint32_t node, Transport& transport, ServiceClient& client) {
  transport_ = &transport;
  client_ = &client;
  set_up_memory(node);
  poll_.push_back({faults_.descriptor(), POLLIN, 0});
  poll_.push_back({transport_->doorbell(), POLLIN, 0});
  for (const Watched& watched : watched_)
    poll_.push_back({watched.pidfd, POLLIN, 0});
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // inherited: the program's signal handlers never run on this thread
  create_private_thread(thread_body, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Service::begin() {
  watch_others_memory();
  begun_.store(1, std::memory_order_release); // pairs with the acquire in thread_body(): what is set up
  futex_wake(begun_, 1);
}

void* Service::thread_body(void* argument) {
  prctl(PR_SET_NAME, "hetmp-service");
  raise_priority();
  Service& self = *static_cast<Service*>(argument);
  while (!self.begun_.load(std::memory_order_acquire)) // pairs with the release in begin()
    futex_wait(self.begun_, 0);
  self.run();
  return nullptr;
}

void Service::run() {
  allocates_privately = true;
  is_service_thread = true;
  while (true) {
    const bool more = work();
    while (const auto loss = transport_->find_loss()) {
      protocol_->lose(loss->node);
      client_->node_lost(*loss);
    }
    const bool again = client_->retry();
    const bool unsent = transport_->flush();
    // Whether there is more to do is what the sleep itself finds out first: to look everywhere before it would cost
    // system calls while the thread whose page has just come waits for this CPU.
    if (more || !transport_->prepare_sleep())
      faults_waiting_ = true; // perhaps
    else
      sleep(again || unsent || !waiting_.empty());
  }
}

/// True if there is certainly more to do.
bool Service::work() {
  transport_->receive(handle_);
  if (faults_waiting_)
    serve_faults();
  do_what_is_due();
  const bool asked = ask_for_remembered();
  wake_waiters_if_due();
  return serve_waiting() || asked;
}

/// See futex_waiters.hpp. At most one look in two milliseconds, and at most a fiftieth of the time.
void Service::wake_waiters_if_due() {
  if (!lost_copies_)
    return;
  const Clock begin = monotonic_ns();
  if (begin < next_look_)
    return;
  lost_copies_ = false;
  wake_shared_futex_waiters(plan_);
  const Clock end = monotonic_ns();
  next_look_ = end + std::max<Clock>(2'000'000, 50 * (end - begin));
}

void Service::serve_faults() {
  PageFault faults[16];
  const size_t count = faults_.read(faults, 16);
  for (size_t i = 0; i < count; ++i)
    handle_fault(faults[i]);
}

void Service::sleep(bool retry_soon) {
  constexpr int64_t soon_ns = 100'000;
  int64_t wait = retry_soon ? soon_ns : transport_->longest_sleep_ns();
  if (!holds_.empty()) {
    const int64_t until_due = std::max<int64_t>(holds_.next_due() - monotonic_ns(), 0);
    wait = wait < 0 ? until_due : std::min(wait, until_due);
  }
  if (lost_copies_) {
    const int64_t until_look = std::max<int64_t>(next_look_ - monotonic_ns(), 0);
    wait = wait < 0 ? until_look : std::min(wait, until_look);
  }
  const timespec timeout{wait / 1'000'000'000, wait % 1'000'000'000};
  const int ready = ppoll(poll_.data(), poll_.size(), wait < 0 ? nullptr : &timeout, nullptr);
  transport_->awake(ready > 0 && poll_[1].revents);
  faults_waiting_ = ready < 0 || (ready > 0 && poll_[0].revents);
  if (ready <= 0)
    return;
  for (size_t i = 2; i < poll_.size(); ++i)
    if (poll_[i].revents) {
      const Watched& watched = watched_[i - 2];
      client_->node_ended(watched.node, watched.pid, watched.pidfd);
      poll_[i].fd = -1;
    }
}

void Service::handle_slot(uint32_t from, const Slot& slot) {
  switch (slot.header.channel) {
  case Channel::Page:
    if (const auto message = read_page_message(slot.header))
      handle_page_message(from, *message, slot.data);
    else
      die(failure, "node %u sent a page message of %u bytes with %u bytes of content that cannot be one", from,
          slot.header.header_bytes, slot.header.data_bytes);
    break;
  case Channel::Runtime:
    client_->runtime_message(from, slot.data, slot.header.data_bytes);
    break;
  case Channel::Control:
    client_->control_message(from, slot);
    break;
  }
}

void Service::do_what_is_due() {
  while (!holds_.empty()) {
    const auto due = holds_.take_due(monotonic_ns());
    if (!due)
      break;
    if (due->resume) {
      actions_.clear();
      protocol_->resume(due->message.page, actions_);
      add_actions(nullptr);
    } else {
      deliver(due->from, due->message, nullptr);
    }
    carry_out_batch();
  }
}

} // namespace hetmp::dsm
