#include "dsm/engine/service_thread.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/exit_codes.hpp"
#include "base/machine/time_slice.hpp"
#include "base/message.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iterator>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// With real-time priority the kernel ends the process once such a thread has computed for that long without a pause.
bool real_time_is_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_RTTIME, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Service threads must run at once when there is something to do: whole teams wait for them. Who looks instead of
/// sleeping may be wrong about the CPU that it thinks is spare, and a real-time thread would never give it away.
void raise_priority(bool may_be_real_time) {
  sched_param parameters{};
  parameters.sched_priority = 1;
  if (!may_be_real_time || real_time_is_limited() || sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    if (setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), -20) != 0) // refused too where not allowed
      ask_for_short_turns(true);
}

} // namespace

void ServiceThread::start(uint32_t node, Transport& transport, ServiceClient& client, CreateThread create_thread) {
  HETMP_CHECK(!transport_ && !client_); // once
  transport_ = &transport;
  client_ = &client;
  memory_.set_up(node);
  engine_.set_up(node, transport);
  turns_.set_up(node, client);
  poll_.push_back({memory_.fault_descriptor(), POLLIN, 0});
  poll_.push_back({transport_->doorbell(), POLLIN, 0});
  for (const Watched& watched : watched_)
    poll_.push_back({watched.pidfd, POLLIN, 0});
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // inherited: the program's signal handlers never run on this thread
  create_thread(thread_body, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ServiceThread::begin() {
  HETMP_CHECK(transport_ && client_ && begun_.load(std::memory_order_relaxed) == 0); // nobody else writes it
  memory_.watch_others();
  // release: pairs with the acquire in thread_body(), which sees what is set up
  if (begun_.exchange(1, std::memory_order_release) != 0)
    die(exit_code::software, "a node's service was begun twice");
  futex_wake(begun_, 1);
}

void* ServiceThread::thread_body(void* argument) {
  prctl(PR_SET_NAME, "hetmp-service");
  ServiceThread& self = *static_cast<ServiceThread*>(argument);
  raise_priority(!self.polls_busily_);
  while (!self.begun_.load(std::memory_order_acquire)) // pairs with the release in begin()
    futex_wait(self.begun_, 0);
  self.serve();
}

void ServiceThread::serve() {
  client_->service_begins();
  while (true) {
    const bool more = work();
    tell_losses();
    const bool again = client_->retry();
    const bool unsent = transport_->flush();
    // Whether there is more to do is what the sleep itself finds out first: to look everywhere before it would cost
    // system calls while the thread whose page has just come waits for this CPU.
    if (more || spin())
      faults_waiting_ = true; // perhaps
    else if (look_instead_of_sleeping())
      continue;
    else if (!transport_->prepare_sleep())
      faults_waiting_ = true; // likewise
    else
      sleep(again || unsent || engine_.has_waiting());
  }
}

/// True if there is certainly more to do. It is not interrupted, as a rule, so the time is what its CPU has not had for
/// others.
bool ServiceThread::work() {
  const int64_t began_ns = observer_.anybody_waits() ? 0 : monotonic_ns();
  const bool more = do_work();
  if (began_ns != 0 && pages_moved_)
    observer_.served(monotonic_ns() - began_ns);
  return more;
}

bool ServiceThread::do_work() {
  pages_moved_ = transport_->receive(handle_) != 0;
  if (faults_waiting_)
    pages_moved_ |= serve_faults();
  turns_.look(); // it may end a turn: then more is due
  engine_.do_what_is_due();
  const bool asked = engine_.fetch_ahead();
  memory_.futexes().wake_if_due();
  return engine_.serve_waiting() || asked;
}

void ServiceThread::tell_losses() {
  while (const auto loss = transport_->find_loss()) {
    engine_.lose(loss->node);
    client_->node_lost(*loss);
  }
}

bool ServiceThread::serve_faults() {
  PageFault faults[16];
  const size_t count = memory_.read_faults(faults, std::size(faults));
  HETMP_CHECK(count <= std::size(faults));
  for (size_t i = 0; i < count; ++i)
    engine_.handle_fault(faults[i]);
  return count != 0;
}

/// Nothing: until somebody wakes it.
std::optional<int64_t> ServiceThread::longest_sleep_ns(bool retry_soon) const {
  constexpr int64_t soon_ns = 100'000;
  std::optional<int64_t> least;
  const auto at_most = [&least](std::optional<int64_t> wait) {
    if (wait)
      least = std::min(least.value_or(*wait), *wait);
  };
  const int64_t wait = retry_soon ? soon_ns : transport_->longest_sleep_ns();
  at_most(wait < 0 ? std::nullopt : std::optional(wait));
  at_most(engine_.until_due());
  at_most(turns_.until_look());
  at_most(memory_.futexes().until_due());
  return least;
}

/// For pages that this thread is to bring, or asleep for each other: nobody else has a use for their CPUs. What it
/// cannot know of are threads that the program has made by itself.
bool ServiceThread::all_threads_wait() { return client_->threads_at_work() <= engine_.meter().waited_for(); }

/// A few looks, between which asking for the time would cost more than they do.
bool ServiceThread::look_for_messages() {
  constexpr int looks = 64;
  for (int look = 0; look < looks; ++look) {
    if (transport_->has_messages())
      return true;
    cpu_relax();
  }
  return false;
}

/// True: a message has come. While all threads of the node wait and pages are on their ways, the next message is due
/// soon, and a CPU that goes idle until then takes several times as long to wake up as the rest of the exchange does,
/// above all a virtual one. Not after what may have let a thread go on: that needs the CPU before it can be seen.
bool ServiceThread::spin() {
  if (!pages_moved_ || others_run_ || !all_threads_wait())
    return false;
  constexpr int64_t longest_ns = 200'000; // what the kernel's own polling (haltpoll) takes for enough
  const int64_t until = monotonic_ns() + std::min(longest_ns, engine_.until_due().value_or(longest_ns));
  do
    if (look_for_messages())
      return true;
  while (monotonic_ns() < until);
  return false;
}

/// Some CPU of the node's has nothing to do, as far as one knows: threads that the program has made by itself are not
/// counted.
bool ServiceThread::has_spare_cpu() {
  const uint32_t at_work = client_->threads_at_work();
  return at_work - std::min<size_t>(at_work, engine_.meter().waited_for()) < client_->usable_cpus();
}

/// True: it has looked, at what the doorbell tells of, too, and is to go round once more. A CPU that keeps looking is
/// at hand for the next message; for how long it has had none says whether one is to be expected.
bool ServiceThread::look_instead_of_sleeping() {
  if (!polls_busily_ || !has_spare_cpu())
    return false;
  constexpr int64_t longest_ns = 10'000'000; // after so long a thread's waking up is next to nothing
  const int64_t now = monotonic_ns();
  if (pages_moved_)
    last_moved_ns_ = now;
  if (now - last_moved_ns_ > longest_ns)
    return false;
  sched_yield(); // to a thread that was not counted
  if (look_for_messages())
    faults_waiting_ = true; // perhaps
  else
    wait(0);
  return true;
}

void ServiceThread::sleep(bool retry_soon) {
  wait(longest_sleep_ns(retry_soon));
  others_run_ = false;
}

/// For so long, if there is a bound, until there is a fault, a message, or the end of a process that is watched.
void ServiceThread::wait(std::optional<int64_t> ns) {
  HETMP_CHECK(!ns || *ns >= 0);
  const timespec timeout{ns.value_or(0) / 1'000'000'000, ns.value_or(0) % 1'000'000'000};
  const int ready = ppoll(poll_.data(), poll_.size(), ns ? &timeout : nullptr, nullptr);
  transport_->awake(ready > 0 && poll_[1].revents);
  faults_waiting_ = ready < 0 || (ready > 0 && poll_[0].revents);
  if (ready > 0)
    tell_ends();
}

void ServiceThread::tell_ends() {
  HETMP_CHECK(poll_.size() == 2 + watched_.size());
  for (size_t i = 2; i < poll_.size(); ++i)
    if (poll_[i].revents) {
      const Watched& watched = watched_[i - 2];
      client_->node_ended(watched.node, watched.pid, watched.pidfd);
      poll_[i].fd = -1;
    }
}

void ServiceThread::handle_slot(uint32_t from, const Slot& slot) {
  switch (slot.header.channel) {
  case Channel::Page:
    engine_.handle_slot(from, slot);
    break;
  case Channel::Runtime:
    others_run_ = true;
    client_->runtime_message(from, slot.data, slot.header.data_bytes);
    break;
  case Channel::Control:
    others_run_ = true;
    client_->control_message(from, slot);
    break;
  }
}

} // namespace hetmp::dsm
