// The service's memory: what it keeps of each page, and carrying out what the protocol asks for.
#include "dsm/node/service.hpp"

#include "base/clock.hpp"
#include "base/message.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

// Flags of a page. Published: userfaultfd knows it at its home; set once, by the service thread, for whole pieces.
// Present: the page was filled at its home since then (before, it may be absent, which means zeros).
constexpr uint8_t published = 1, present = 2;

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

} // namespace

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
      look_at_visit();
      visits_.lost(page);
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
      holds_.came(page, monotonic_ns());
      break;
    case protocol::ActionKind::Wake:
      faults_.wake(address);
      break;
    case protocol::ActionKind::Hold:
      holds_.resume_later(action.message, monotonic_ns());
      break;
    }
  }
}

void Service::give_zeros(PageNumber page, bool writable) {
  faults_.install_zeros(plan_.address_of(page), writable, UserFaults::Waiters::Keep);
  __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
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
  if (!(page_flags_[page] & present) && protocol_->is_home(page)) {
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
  if (!came_unasked_)
    holds_.came(page, monotonic_ns());
}

} // namespace hetmp::dsm
