#include "dsm/engine/local_memory.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "dsm/launch_plan.hpp"
#include "dsm/space/core_dump.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

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
    die(exit_code::software, "no address space for the page directory: %s", strerrordesc_np(errno));
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

void LocalMemory::set_up(uint32_t node) {
  const UserFaults::Access access = faults_.open();
  if (access == UserFaults::Access::Refused)
    die(exit_code::software,
        "node %u: userfaultfd is refused (%s): allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1", node,
        strerrordesc_np(errno));
  if (access == UserFaults::Access::UserOnly && node == origin)
    say("userfaultfd serves user code only here: system calls on memory last written by another node will fail "
        "(EFAULT); allow /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1");
  HETMP_CHECK(!local_ && node < plan_.nodes()); // once
  node_ = node;
  local_ = lazy_array<protocol::LocalPage>(plan_.pages());
  directory_ = lazy_array<protocol::DirectoryEntry>(plan_.pages());
  page_flags_ = lazy_array<uint8_t>(plan_.pages());
}

protocol::Storage LocalMemory::storage() const {
  protocol::Storage storage;
  storage.pages = plan_.pages();
  storage.local = local_;
  storage.directory = directory_;
  storage.home_of = [](const void* plan, PageNumber page) {
    return static_cast<const AddressPlan*>(plan)->home_of(page);
  };
  storage.plan = &plan_;
  return storage;
}

void LocalMemory::watch_others() {
  for (uint32_t other = 0; other < plan_.nodes(); ++other)
    if (other != node_)
      faults_.watch(AddressPlan::slice(other).begin, slice_bytes);
  if (node_ != origin)
    for (const Segment& segment : plan_.globals())
      faults_.watch(segment.begin, segment.bytes());
}

bool LocalMemory::is_unpublished(Segment range) const {
  if (!page_flags_)
    return true;
  for (uintptr_t address = range.begin; address < range.end; address = (address & ~(publish_bytes - 1)) + publish_bytes)
    if (__atomic_load_n(&page_flags_[plan_.page_of(address)], __ATOMIC_RELAXED) & published)
      return false;
  return true;
}

/// Home only: from now on accesses to absent and write-protected pages of the piece around `page` come to this thread.
/// Until then the node uses the piece like any memory. Nothing changes for the threads that use it now: present pages
/// stay writable, and an absent page still becomes zeros at its first access, by give_zeros().
void LocalMemory::publish(PageNumber page) {
  if (page_flags_[page] & published)
    return;
  const Segment piece = plan_.publish_piece(page);
  HETMP_CHECK(piece.contains(plan_.address_of(page)));
  faults_.watch(piece.begin, piece.bytes());
  const PageNumber first = plan_.page_of(piece.begin);
  for (PageNumber i = first; i < first + (piece.bytes() >> page_shift); ++i)
    __atomic_or_fetch(&page_flags_[i], published, __ATOMIC_RELAXED);
}

void LocalMemory::give_zeros(PageNumber page, bool writable) {
  HETMP_CHECK(page < plan_.pages());
  faults_.install_zeros(plan_.address_of(page), writable, UserFaults::Waiters::Keep);
  __atomic_or_fetch(&page_flags_[page], present, __ATOMIC_RELAXED);
}

void LocalMemory::give_zeros_ahead(PageRange pages) {
  constexpr uint32_t most = publish_bytes / page_bytes;
  HETMP_CHECK(pages.count != 0 && pages.count <= most && pages.first + pages.count <= plan_.pages());
  const uintptr_t address = plan_.address_of(pages.first);
  unsigned char resident[most] = {};
  find_resident(address, pages.count, resident);
  for (uint32_t i = 0; i < pages.count; ++i) {
    const auto is_absent = [](unsigned char flags) { return (flags & 1) == 0; };
    if (!is_absent(resident[i]))
      continue;
    const auto run = uint32_t(std::find_if_not(resident + i, resident + pages.count, is_absent) - (resident + i));
    const size_t done = faults_.map_zeros(address + i * page_bytes, run);
    for (uint32_t filled = i; filled < i + done; ++filled)
      __atomic_or_fetch(&page_flags_[pages.first + filled], present, __ATOMIC_RELAXED);
    i += uint32_t(done);
  }
}

/// At their home the pages may never have been touched, and then they are filled with zeros here: this thread must not
/// fault when it reads them.
void LocalMemory::protect(uintptr_t address, PageRange pages) {
  HETMP_CHECK(pages.count != 0 && pages.count <= most_data_pages);
  HETMP_CHECK(plan_.page_of(address) == pages.first);
  fill_absent(address, pages);
  faults_.protect(address, pages.count);
}

void LocalMemory::fill_absent(uintptr_t address, PageRange pages) {
  uint8_t* const flags = page_flags_ + pages.first;
  const auto known = [](uint8_t flag) { return (flag & present) != 0; };
  if (plan_.home_of(pages.first) != node_ || std::all_of(flags, flags + pages.count, known))
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

void LocalMemory::install(uintptr_t address, PageRange pages, const uint8_t* content, bool writable) {
  HETMP_CHECK(pages.count != 0 && pages.count <= most_data_pages);
  HETMP_CHECK(plan_.page_of(address) == pages.first);
  if (plan_.in_slices(address))
    include_in_dumps({address, address + pages.count * page_bytes});
  const bool done = content ? faults_.install(address, content, writable, UserFaults::Waiters::Wake, pages.count)
                            : faults_.install_zeros(address, writable, UserFaults::Waiters::Wake, pages.count);
  if (!done)
    die(exit_code::software, "page %llu, or one of the %u behind it, came although it is here",
        static_cast<unsigned long long>(pages.first), pages.count - 1);
  for (uint32_t i = 0; i < pages.count; ++i)
    __atomic_or_fetch(&page_flags_[pages.first + i], present, __ATOMIC_RELAXED);
  budget_.pages_moved(node_, pages.count);
}

void LocalMemory::drop(uintptr_t address, PageRange pages) {
  HETMP_CHECK(plan_.page_of(address) == pages.first);
  HETMP_CHECK(pages.count != 0 && pages.first + pages.count <= plan_.pages());
  faults_.drop(address, pages.count);
  budget_.pages_moved(node_, -int64_t(pages.count));
  futexes_.copies_lost();
}

/// Another node may have asked for the page before it became unreadable.
const uint8_t* LocalMemory::read_past_protection(uintptr_t page) {
  if (own_memory_ < 0)
    own_memory_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (own_memory_ < 0 || pread(own_memory_, page_copy_, page_bytes, off_t(page)) != ssize_t(page_bytes))
    return reinterpret_cast<const uint8_t*>(page);
  return page_copy_;
}

} // namespace hetmp::dsm
