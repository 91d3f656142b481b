// The service's memory: what it keeps of each page, and what it does to the pages of this node.
#include "dsm/engine/service.hpp"

#include "base/clock.hpp"
#include "base/message.hpp"
#include "dsm/launch_plan.hpp"
#include "dsm/space/core_dump.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr int failure = 70; // EX_SOFTWARE

static_assert(slice_bytes +
                  slice_pages * (sizeof(protocol::LocalPage) + sizeof(protocol::DirectoryEntry) + sizeof(uint8_t)) <=
              address_space_of_node);

// Flags of a page. Published: userfaultfd knows it at its home; set once, by the service thread, for whole pieces.
// Present: the page was filled at its home since then (before, it may be absent, which means zeros).
constexpr uint8_t published = 1, present = 2;

/// Zero memory that costs nothing until it is used.
template <class T> T* lazy_array(uint64_t count) {
  void* memory = reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (memory == MAP_FAILED)
    die(failure, "no address space for the page directory: %s", strerrordesc_np(errno));
  // Pages in use cluster; huge pages would multiply what the directory takes.
  madvise(memory, count * sizeof(T), MADV_NOHUGEPAGE);
  madvise(memory, count * sizeof(T), MADV_DONTDUMP); // no core dump's reader wants gigabytes of address space for it
  return static_cast<T*>(memory);
}

/// A hint: a page that is swapped out counts as absent here, and is found present when zeros are put there.
void find_resident(uintptr_t address, uint32_t pages, unsigned char* resident) {
  if (mincore(reinterpret_cast<void*>(address), pages * page_bytes, resident) != 0)
    std::fill(resident, resident + pages, 0);
}

} // namespace

void Service::set_up_memory(uint32_t node) {
  const UserFaults::Access access = faults_.open();
  if (access == UserFaults::Access::Refused)
    die(failure, "node %u: userfaultfd is refused (%s): allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1",
        node, strerrordesc_np(errno));
  if (access == UserFaults::Access::UserOnly && node == origin)
    say("userfaultfd serves user code only here: system calls on memory last written by another node will fail "
        "(EFAULT); allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1");
  node_ = node;
  storage_.pages = plan_.pages();
  storage_.local = lazy_array<protocol::LocalPage>(storage_.pages);
  storage_.directory = lazy_array<protocol::DirectoryEntry>(storage_.pages);
  storage_.home_of = [](const void* plan, PageNumber page) {
    return static_cast<const AddressPlan*>(plan)->home_of(page);
  };
  storage_.plan = &plan_;
  page_flags_ = lazy_array<uint8_t>(storage_.pages);
  protocol_ = std::make_unique<protocol::Node>(node, plan_.nodes(), storage_);
}

void Service::watch_others_memory() {
  for (uint32_t other = 0; other < plan_.nodes(); ++other)
    if (other != node_)
      faults_.watch(AddressPlan::slice(other).begin, slice_bytes);
  if (node_ != origin)
    for (const Segment& segment : plan_.globals())
      faults_.watch(segment.begin, segment.bytes());
}

bool Service::is_unpublished(Segment range) const {
  if (!page_flags_)
    return true;
  for (uintptr_t address = range.begin; address < range.end; address = (address & ~(publish_bytes - 1)) + publish_bytes)
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

void Service::give_zeros(PageNumber page, bool writable) {
  faults_.install_zeros(plan_.address_of(page), writable, UserFaults::Waiters::Keep);
  __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
}

/// The pages will be read by this thread right after: at their home they may never have been touched, and then they are
/// filled with zeros here (this thread must not fault).
void Service::protect(PageRange pages) {
  for_each_piece(pages, [&](uintptr_t address, PageRange piece) {
    fill_absent(address, piece);
    faults_.protect(address, piece.count);
  });
}

/// At most most_data_pages.
void Service::fill_absent(uintptr_t address, PageRange pages) {
  uint8_t* const flags = page_flags_ + pages.first;
  const auto known = [](uint8_t flag) { return (flag & present) != 0; };
  if (!protocol_->is_registrar(pages.first) || std::all_of(flags, flags + pages.count, known))
    return;
  unsigned char resident[most_data_pages] = {};
  find_resident(address, pages.count, resident);
  for (uint32_t i = 0; i < pages.count; ++i)
    if (!known(flags[i])) {
      __atomic_or_fetch(&flags[i], present, __ATOMIC_RELAXED);
      if (!resident[i])
        faults_.install_zeros(address + i * page_bytes, false, UserFaults::Waiters::Keep);
    }
}

void Service::install(const ActionBatch::Installation& installation, bool held) {
  const uint8_t* content = installation.content;
  for_each_piece(installation.pages, [&](uintptr_t address, PageRange pages) {
    if (plan_.in_slices(address))
      include_in_dumps({address, address + pages.count * page_bytes});
    const bool writable = installation.writable;
    const bool done = content ? faults_.install(address, content, writable, UserFaults::Waiters::Wake, pages.count)
                              : faults_.install_zeros(address, writable, UserFaults::Waiters::Wake, pages.count);
    if (!done)
      die(failure, "page %llu, or one of the %u behind it, came although it is here",
          static_cast<unsigned long long>(pages.first), pages.count - 1);
    for (uint32_t i = 0; i < pages.count; ++i) {
      __atomic_or_fetch(&page_flags_[pages.first + i], present, __ATOMIC_RELAXED);
      if (statistics_)
        note_arrival(address + i * page_bytes, writable);
    }
    if (content) {
      counters_.bytes_received.fetch_add(pages.count * page_bytes, std::memory_order_relaxed);
      content += pages.count * page_bytes;
    }
    client_->pages_moved(pages.count);
    if (held)
      holds_.came(pages.first, monotonic_ns(), pages.count);
  });
}

void Service::drop(PageRange pages) {
  for_each_piece(pages, [&](uintptr_t address, PageRange piece) {
    faults_.drop(address, piece.count);
    client_->pages_moved(-int64_t(piece.count));
    lost_copies_ = true;
    counters_.invalidations.fetch_add(piece.count, std::memory_order_relaxed);
    look_at_visit();
    for (uint32_t i = 0; i < piece.count; ++i) {
      if (statistics_)
        statistics_->lost(address + i * page_bytes);
      visits_.lost(piece.first + i);
    }
  });
}

} // namespace hetmp::dsm
