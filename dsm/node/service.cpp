#include "dsm/node/service.hpp"

#include "base/clock.hpp"
#include "base/message.hpp"
#include "dsm/node/futex_waiters.hpp"
#include "dsm/node/late_window.hpp"
#include "dsm/node/private_threads.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

// Flags of a page. Published: userfaultfd knows it at its home; set once, by the service thread, for whole pieces.
// Present: the page was filled at its home since then (before, it may be absent, which means zeros).
constexpr uint8_t published = 1, present = 2;

// How long a page stays after it came before another node may take it: long enough for the thread that waited for it to
// run and make its access, or two nodes that want the same page could take it from each other for ever.
constexpr int64_t hold_ns = 50'000;

/// Zero memory that costs nothing until it is used.
template <class T>
T* lazy_array(uint64_t count) {
  void* memory = reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (memory == MAP_FAILED)
    die(failure, "no address space for the page directory: %s", strerrordesc_np(errno));
  // Pages in use cluster; huge pages would multiply what the directory takes.
  madvise(memory, count * sizeof(T), MADV_NOHUGEPAGE);
  return static_cast<T*>(memory);
}

/// A hint: a page that is swapped out counts as absent here, and is found present when zeros are put there.
bool is_present(uintptr_t page) {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(page), page_bytes, &resident) == 0 && (resident & 1);
}

/// Service threads must run at once when there is something to do: whole teams wait for them.
void raise_priority() {
  sched_param parameters{};
  parameters.sched_priority = 1;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), -20); // refused too where not allowed; then as it is
}

} // namespace

void Service::watch_node_process(uint32_t node, pid_t pid, int pidfd) { watched_.push_back({node, pid, pidfd}); }

void Service::set_up_memory(uint32_t node) {
  const UserFaults::Access access = faults_.open();
  if (access == UserFaults::Access::Refused)
    die(failure, "node %u: userfaultfd is refused: allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1", node);
  if (access == UserFaults::Access::UserOnly && node == origin)
    say("userfaultfd serves user code only here: system calls on memory last written by another node will fail "
        "(EFAULT); allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1");
  for (uint32_t other = 0; other < plan_.nodes(); ++other)
    if (other != node)
      faults_.watch(AddressPlan::slice(other).begin, slice_bytes);
  if (node != origin)
    for (const Segment& segment : plan_.globals())
      faults_.watch(segment.begin, segment.bytes());
  storage_.pages = plan_.pages();
  storage_.local = lazy_array<protocol::LocalPage>(storage_.pages);
  storage_.directory = lazy_array<protocol::DirectoryEntry>(storage_.pages);
  storage_.home_of = [](const void* plan, PageNumber page) { return static_cast<const AddressPlan*>(plan)->home_of(page); };
  storage_.plan = &plan_;
  page_flags_ = lazy_array<uint8_t>(storage_.pages);
  protocol_ = std::make_unique<protocol::Node>(node, plan_.nodes(), storage_);
}

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

void* Service::thread_body(void* self) {
  prctl(PR_SET_NAME, "hetmp-service");
  raise_priority();
  static_cast<Service*>(self)->run();
  return nullptr;
}

void Service::run() {
  allocates_privately = true;
  is_service_thread = true;
  while (true) {
    bool worked = work();
    while (const auto loss = transport_->find_loss()) {
      protocol_->lose(loss->node);
      client_->node_lost(*loss);
    }
    const bool retry_soon = client_->retry() | transport_->flush();
    if (!worked && transport_->prepare_sleep())
      sleep(retry_soon);
  }
}

bool Service::work() {
  const size_t messages = transport_->receive(handle_);
  const bool faults = serve_faults();
  const bool due = do_what_is_due();
  wake_waiters_if_due();
  return faults || messages || due;
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

bool Service::serve_faults() {
  // After a sleep that only the doorbell ended, the first look would find nothing and cost a system call on the way of
  // the page that has just come.
  if (!faults_waiting_) {
    faults_waiting_ = true;
    return true; // look before sleeping again
  }
  PageFault faults[16];
  const size_t count = faults_.read(faults, 16);
  for (size_t i = 0; i < count; ++i)
    handle_fault(faults[i]);
  return count != 0;
}

void Service::sleep(bool retry_soon) {
  constexpr int64_t soon_ns = 100'000;
  int64_t wait = retry_soon ? soon_ns : transport_->longest_sleep_ns();
  if (!later_.empty()) {
    const int64_t until_due = std::max<int64_t>(later_.front().due - monotonic_ns(), 0);
    wait = wait < 0 ? until_due : std::min(wait, until_due);
  }
  if (lost_copies_) {
    const int64_t until_look = std::max<int64_t>(next_look_ - monotonic_ns(), 0);
    wait = wait < 0 ? until_look : std::min(wait, until_look);
  }
  const timespec timeout{wait / 1'000'000'000, wait % 1'000'000'000};
  const int ready = ppoll(poll_.data(), poll_.size(), wait < 0 ? nullptr : &timeout, nullptr);
  transport_->awake(ready > 0 && poll_[1].revents);
  faults_waiting_ = ready <= 0 || poll_[0].revents;
  if (ready <= 0)
    return;
  for (size_t i = 2; i < poll_.size(); ++i)
    if (poll_[i].revents) {
      const Watched& watched = watched_[i - 2];
      client_->node_ended(watched.node, watched.pid, watched.pidfd);
      poll_[i].fd = -1;
    }
}

void Service::read_counters(FaultCounters* counters) const {
  counters->read_misses = counters_.read_misses.load(std::memory_order_relaxed);
  counters->write_misses = counters_.write_misses.load(std::memory_order_relaxed);
  counters->write_upgrades = counters_.write_upgrades.load(std::memory_order_relaxed);
  counters->invalidations = counters_.invalidations.load(std::memory_order_relaxed);
  counters->bytes_received = counters_.bytes_received.load(std::memory_order_relaxed);
}

bool Service::is_unpublished(Segment range) const {
  if (!page_flags_)
    return true;
  for (uintptr_t address = range.begin; address < range.end;
       address = (address & ~(publish_bytes - 1)) + publish_bytes)
    if (__atomic_load_n(&page_flags_[plan_.page_of(address)], __ATOMIC_RELAXED) & published)
      return false;
  return true;
}

/// Home only: from now on accesses to absent and write-protected pages of the piece around `page` come to this thread.
/// Until then the node uses the piece like any memory. Nothing changes for the threads that use it now: present pages
/// stay writable, and an absent page still becomes zeros at its first access, by handle_fault().
void Service::publish(PageNumber page) {
  if (page_flags_[page] & published)
    return;
  const Segment piece = plan_.publish_piece(page);
  faults_.watch(piece.begin, piece.bytes());
  const PageNumber first = plan_.page_of(piece.begin);
  for (PageNumber i = first; i < first + (piece.bytes() >> page_shift); ++i)
    __atomic_or_fetch(&page_flags_[i], published, __ATOMIC_RELAXED);
}

void Service::handle_fault(const PageFault& fault) {
  const PageNumber page = plan_.page_of(fault.address);
  const bool write = fault.kind != PageFault::Kind::ReadMissing;
  const protocol::LocalState state = protocol_->state(page);
  if (state != protocol::LocalState::Invalid && fault.kind != PageFault::Kind::WriteProtected) {
    // Ours and never touched since it was published, or given back by the program with madvise(): it is zeros.
    faults_.install_zeros(fault.address, state == protocol::LocalState::Exclusive, UserFaults::Waiters::Keep);
    __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
  }
  if (state == protocol::LocalState::Invalid || (write && state == protocol::LocalState::Shared))
    count(fault);
  const bool asks = protocol_->outstanding(page) == protocol::Outstanding::None;
  actions_.clear();
  if (write)
    protocol_->write_fault(page, actions_);
  else
    protocol_->read_fault(page, actions_);
  carry_out(nullptr);
  if (asks && state == protocol::LocalState::Invalid)
    fetch_with(page, write);
}

/// Asks for the pages that the faults' stream will want next, as if threads had faulted on them: to the protocol that is
/// what it is, faults may come at any time. Their answers come while the thread still works on this page.
void Service::fetch_with(PageNumber page, bool write) {
  if (!fetch_ahead_.load(std::memory_order_relaxed))
    return;
  const PageRun run = streams_.fault(page);
  for (uint32_t i = 0; i < run.count && may_fetch_ahead(run.page(i), page); ++i) {
    actions_.clear();
    if (write)
      protocol_->write_fault(run.page(i), actions_);
    else
      protocol_->read_fault(run.page(i), actions_);
    carry_out(nullptr);
  }
}

/// A page of the same kind of memory as the one a thread wants, of which this node has no copy. Never a stack's: guard
/// pages lie between them. Nor one of the window for late objects, which is not all there.
bool Service::may_fetch_ahead(PageNumber page, PageNumber with) const {
  if (page >= storage_.pages || plan_.home_of(page) != plan_.home_of(with) || protocol_->is_home(page))
    return false;
  const uintptr_t address = plan_.address_of(page), wanted = plan_.address_of(with);
  const bool same_memory = plan_.in_slices(address) == plan_.in_slices(wanted) &&
                           std::max(address, wanted) - std::min(address, wanted) <= publish_bytes;
  if (!same_memory || AddressPlan::stack_part(plan_.home_of(page)).contains(address) ||
      LateWindow::instance().range().contains(address))
    return false;
  return protocol_->state(page) == protocol::LocalState::Invalid &&
         protocol_->outstanding(page) == protocol::Outstanding::None;
}

void Service::count(const PageFault& fault) {
  const bool upgrade = fault.kind == PageFault::Kind::WriteProtected;
  const bool read = fault.kind == PageFault::Kind::ReadMissing;
  auto& counter = upgrade ? counters_.write_upgrades : read ? counters_.read_misses : counters_.write_misses;
  counter.fetch_add(1, std::memory_order_relaxed);
  using Fault = PageStatistics::Fault;
  if (statistics_)
    statistics_->faulted(fault.address, upgrade ? Fault::WriteUpgrade : read ? Fault::ReadMiss : Fault::WriteMiss,
                         fault.offset, monotonic_ns());
}

/// Only with statistics.
void Service::note_arrival(uintptr_t page, bool writable) {
  const Clock now = monotonic_ns();
  const PageStatistics::Wait wait = statistics_->came(page, writable, now);
  if (wait.since == 0 || fault_events_.capacity() == 0)
    return;
  if (fault_events_.size() == fault_events_.capacity())
    ++fault_events_dropped_;
  else
    fault_events_.push_back({wait.since, now, page, FaultEvent::Kind(wait.kind)});
}

size_t Service::read_pages(PageRecord* records, size_t most, uint64_t* waited_ns) {
  if (!statistics_)
    return 0;
  *waited_ns = statistics_->waited_ns();
  return statistics_->hottest(records, most);
}

void Service::handle_slot(uint32_t from, const Slot& slot) {
  switch (slot.header.channel) {
  case Channel::Page: {
    protocol::Message message{protocol::MessageType::Done};
    if (slot.header.header_bytes != sizeof message)
      die(failure, "node %u sent a page message of %u bytes", from, slot.header.header_bytes);
    memcpy(&message, slot.header.message, sizeof message);
    if (protocol::carries_content(message.type) != (slot.header.data_bytes == page_bytes))
      die(failure, "node %u sent a %s message with %u bytes of content", from, protocol::name_of(message.type),
          slot.header.data_bytes);
    handle_page_message(from, message, slot.data);
    break;
  }
  case Channel::Runtime:
    client_->runtime_message(from, slot.data, slot.header.data_bytes);
    break;
  case Channel::Control:
    client_->control_message(from, slot);
    break;
  }
}

void Service::handle_page_message(uint32_t from, const protocol::Message& message, const void* content) {
  const auto same = [&](const Later& later) {
    return !later.resume && later.from == from && later.message.page == message.page;
  };
  if (protocol::carries_content(message.type)) {
    // Content is not put off; what came before it on the same channel goes first.
    for (auto it = std::find_if(later_.begin(), later_.end(), same); it != later_.end();
         it = std::find_if(later_.begin(), later_.end(), same)) {
      const Later earlier = *it;
      later_.erase(it);
      deliver(earlier.from, earlier.message, nullptr);
    }
  } else if (std::any_of(later_.begin(), later_.end(), same) || protocol::may_take_copy(message.type)) {
    if (put_off(from, message))
      return;
  }
  deliver(from, message, content);
}

/// Whether the message has to wait: because the page has just come, or because an earlier one of its page and channel waits.
bool Service::put_off(uint32_t from, const protocol::Message& message) {
  Clock due = held_until(message.page);
  for (const Later& later : later_)
    if (!later.resume && later.from == from && later.message.page == message.page)
      due = std::max(due, later.due);
  if (due == 0)
    return false;
  const auto place = std::upper_bound(later_.begin(), later_.end(), due,
                                      [](Clock value, const Later& later) { return value < later.due; });
  later_.insert(place, {due, from, message, false});
  return true;
}

/// The page has just come for a thread of this node.
void Service::hold(PageNumber page) {
  forget_old_holds();
  installed_.push_back({monotonic_ns(), page});
}

void Service::forget_old_holds() {
  const Clock oldest = monotonic_ns() - hold_ns;
  while (!installed_.empty() && installed_.front().when <= oldest)
    installed_.pop_front();
}

/// When the page's hold ends; 0 if it is not held.
Service::Clock Service::held_until(PageNumber page) {
  if (installed_.empty())
    return 0;
  forget_old_holds();
  for (auto it = installed_.rbegin(); it != installed_.rend(); ++it)
    if (it->page == page)
      return it->when + hold_ns;
  return 0;
}

bool Service::do_what_is_due() {
  bool any = false;
  while (!later_.empty() && later_.front().due <= monotonic_ns()) {
    const Later later = later_.front();
    later_.pop_front();
    any = true;
    if (later.resume) {
      actions_.clear();
      protocol_->resume(later.message.page, actions_);
      carry_out(nullptr);
    } else {
      deliver(later.from, later.message, nullptr);
    }
  }
  return any;
}

void Service::deliver(uint32_t from, const protocol::Message& message, const void* content) {
  if (message.page < storage_.pages && protocol_->is_registrar(message.page)) // where its memory is from the start
    publish(message.page);
  actions_.clear();
  const protocol::Status status = protocol_->receive(from, message, actions_);
  if (status != protocol::Status::Ok && status != protocol::Status::NodeLost) // then the run ends
    die(failure, "node %u sent a page message that cannot be (%s, page %llu): %s", from, protocol::name_of(message.type),
        static_cast<unsigned long long>(message.page), protocol::text_of(status));
  carry_out(content);
}

void Service::carry_out(const void* content) {
  for (size_t i = 0; i < actions_.size(); ++i) {
    const protocol::Action& action = actions_[i];
    const PageNumber page = action.page();
    // The kernel can wake in the same call.
    const bool then_wake = i + 1 < actions_.size() && actions_[i + 1].kind == protocol::ActionKind::Wake;
    const auto waiters = then_wake ? UserFaults::Waiters::Wake : UserFaults::Waiters::Keep;
    const uintptr_t address = plan_.address_of(page);
    switch (action.kind) {
    case protocol::ActionKind::Send:
      transport_->send(action.to, Lane::Service, Channel::Page, &action.message,
                      sizeof action.message, nullptr, 0);
      break;
    case protocol::ActionKind::SendData:
      transport_->send(action.to, Lane::Service, Channel::Page, &action.message,
                      sizeof action.message, readable(address), page_bytes);
      break;
    case protocol::ActionKind::Protect:
      protect(page);
      break;
    case protocol::ActionKind::Drop:
      faults_.drop(address);
      client_->pages_moved(-1);
      lost_copies_ = true;
      counters_.invalidations.fetch_add(1, std::memory_order_relaxed);
      if (statistics_)
        statistics_->lost(address);
      break;
    case protocol::ActionKind::InstallShared:
      install(page, content, false, waiters);
      i += then_wake;
      break;
    case protocol::ActionKind::InstallExclusive:
      install(page, content, true, waiters);
      i += then_wake;
      break;
    case protocol::ActionKind::Unprotect:
      faults_.unprotect(address, waiters);
      if (statistics_)
        note_arrival(address, true);
      i += then_wake;
      hold(page);
      break;
    case protocol::ActionKind::Wake:
      faults_.wake(address);
      break;
    case protocol::ActionKind::Hold: {
      Later later{monotonic_ns() + hold_ns, 0, action.message, true};
      const auto place = std::upper_bound(later_.begin(), later_.end(), later.due,
                                          [](Clock value, const Later& other) { return value < other.due; });
      later_.insert(place, later);
      break;
    }
    }
  }
}

/// Where this thread can read the page. Memory that the program has made unreadable is read past its protection: another
/// node may have asked before that was so.
const void* Service::readable(uintptr_t page) {
  if (all_readable_.load(std::memory_order_relaxed))
    return reinterpret_cast<const void*>(page);
  if (own_memory_ < 0)
    own_memory_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (own_memory_ < 0 || pread(own_memory_, page_copy_, page_bytes, off_t(page)) != ssize_t(page_bytes))
    return reinterpret_cast<const void*>(page);
  return page_copy_;
}

/// The page will be read by this thread right after: at its home it may never have been touched, and then it is filled
/// with zeros here (this thread must not fault).
void Service::protect(PageNumber page) {
  const uintptr_t address = plan_.address_of(page);
  if (!(page_flags_[page] & present) && protocol_->is_registrar(page)) {
    __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
    if (!is_present(address) && faults_.install_zeros(address, false, UserFaults::Waiters::Keep))
      return;
  }
  faults_.protect(address);
}

void Service::install(PageNumber page, const void* content, bool writable, UserFaults::Waiters waiters) {
  if (!content || !faults_.install(plan_.address_of(page), content, writable, waiters))
    die(failure, "page %llu came although it is here", static_cast<unsigned long long>(page));
  __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
  counters_.bytes_received.fetch_add(page_bytes, std::memory_order_relaxed);
  if (statistics_)
    note_arrival(plan_.address_of(page), writable);
  client_->pages_moved(1);
  hold(page);
}

} // namespace hetmp::dsm
