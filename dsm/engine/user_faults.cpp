#include "dsm/engine/user_faults.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/high_descriptor.hpp"
#include "base/message.hpp"
#include "dsm/transport/slot.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_EXACT_ADDRESS
#define UFFD_FEATURE_EXACT_ADDRESS (1 << 11)
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace hetmp::dsm {
namespace {

bool negotiate(int descriptor, uint64_t features) {
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_THREAD_ID | features;
  return ioctl(descriptor, UFFDIO_API, &api) == 0;
}

int open_descriptor(UserFaults::Access& access, bool& exact) {
  const int flags = O_CLOEXEC | O_NONBLOCK;
  access = UserFaults::Access::Full;
  // The device grants full mode by file permission (since Linux 6.1); the call needs a capability or a sysctl for it.
  const int device = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  int descriptor = -1;
  if (device >= 0) {
    descriptor = ioctl(device, USERFAULTFD_IOC_NEW, flags);
    close(device);
  }
  if (descriptor < 0)
    descriptor = int(syscall(SYS_userfaultfd, flags));
  if (descriptor < 0) {
    access = UserFaults::Access::UserOnly;
    descriptor = int(syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY));
  }
  exact = descriptor >= 0 && negotiate(descriptor, UFFD_FEATURE_EXACT_ADDRESS);
  if (descriptor >= 0 && !exact && !negotiate(descriptor, 0)) {
    const int error = errno;
    close(descriptor);
    errno = error;
    descriptor = -1;
  }
  descriptor = above_standard_streams(descriptor);
  if (descriptor < 0)
    access = UserFaults::Access::Refused;
  return descriptor;
}

[[noreturn]] void fail(const char* operation, uintptr_t page) {
  die(exit_code::software, "userfaultfd: %s of page %#zx failed: %s", operation, size_t(page), strerrordesc_np(errno));
}

} // namespace

UserFaults::Access UserFaults::open() {
  Access access;
  descriptor_ = open_descriptor(access, exact_);
  return access;
}

UserFaults::Access probe_user_faults() {
  UserFaults::Access access;
  bool exact;
  const int descriptor = open_descriptor(access, exact);
  if (descriptor >= 0)
    close(descriptor);
  return access;
}

void UserFaults::watch(uintptr_t begin, size_t bytes) {
  HETMP_CHECK(begin == page_down(begin) && bytes != 0 && bytes == page_up(bytes));
  uffdio_register range{};
  range.range.start = begin;
  range.range.len = bytes;
  range.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP;
  if (ioctl(descriptor_, UFFDIO_REGISTER, &range) != 0)
    fail("registration", begin);
}

size_t UserFaults::read(PageFault* faults, size_t most) {
  uffd_msg messages[16];
  if (most > 16)
    most = 16;
  const ssize_t bytes = ::read(descriptor_, messages, most * sizeof messages[0]);
  if (bytes <= 0)
    return 0;
  size_t count = 0;
  for (size_t i = 0; i < size_t(bytes) / sizeof messages[0]; ++i) {
    if (messages[i].event != UFFD_EVENT_PAGEFAULT)
      continue;
    const auto& fault = messages[i].arg.pagefault;
    faults[count].address = page_down(fault.address);
    faults[count].offset = exact_ ? uint32_t(fault.address - page_down(fault.address)) : UINT32_MAX;
    faults[count].thread = fault.feat.ptid;
    faults[count].kind = fault.flags & UFFD_PAGEFAULT_FLAG_WP      ? PageFault::Kind::WriteProtected
                         : fault.flags & UFFD_PAGEFAULT_FLAG_WRITE ? PageFault::Kind::WriteMissing
                                                                   : PageFault::Kind::ReadMissing;
    ++count;
  }
  return count;
}

bool UserFaults::install(uintptr_t page, const void* content, bool writable, Waiters waiters, size_t pages) {
  HETMP_CHECK(page == page_down(page) && pages != 0);
  size_t at_once = pages;
  for (size_t done = 0; done < pages;) {
    uffdio_copy copy{};
    copy.dst = page + done * page_bytes;
    copy.src = reinterpret_cast<uintptr_t>(content) + done * page_bytes;
    copy.len = std::min(at_once, pages - done) * page_bytes;
    copy.mode = (waiters == Waiters::Keep ? UFFDIO_COPY_MODE_DONTWAKE : 0) | (writable ? 0 : UFFDIO_COPY_MODE_WP);
    if (ioctl(descriptor_, UFFDIO_COPY, &copy) == 0)
      done += copy.len / page_bytes;
    else if (errno == EEXIST)
      return false;
    else if (errno == EAGAIN) // the address space is changing under us, or the kernel stopped half-way
      done += copy.copy > 0 ? size_t(copy.copy) / page_bytes : 0;
    else if (errno == ENOENT && at_once > 1)
      at_once = 1; // the pages belong to several mappings
    else
      fail("installation", page);
  }
  return true;
}

bool UserFaults::install_zeros(uintptr_t page, bool writable, Waiters waiters, size_t pages) {
  HETMP_CHECK(pages <= most_data_pages);
  alignas(64) static char zeros[most_data_bytes]; // never written: the kernel's one page of zeros, again and again
  return install(page, zeros, writable, waiters, pages);
}

size_t UserFaults::map_zeros(uintptr_t page, size_t pages) {
  HETMP_CHECK(page == page_down(page) && pages != 0);
  uffdio_zeropage zeros{};
  zeros.range.start = page;
  zeros.range.len = pages * page_bytes;
  ioctl(descriptor_, UFFDIO_ZEROPAGE, &zeros);
  return zeros.zeropage > 0 ? size_t(zeros.zeropage) / page_bytes : 0;
}

static void change_protection(int descriptor, uintptr_t page, size_t pages, uint64_t mode) {
  HETMP_CHECK(page == page_down(page) && pages != 0);
  size_t at_once = pages;
  for (size_t done = 0; done < pages;) {
    uffdio_writeprotect change{};
    change.range.start = page + done * page_bytes;
    change.range.len = std::min(at_once, pages - done) * page_bytes;
    change.mode = mode;
    if (ioctl(descriptor, UFFDIO_WRITEPROTECT, &change) == 0)
      done += change.range.len / page_bytes;
    else if (errno == ENOENT && at_once > 1)
      at_once = 1; // the pages belong to several mappings
    else if (errno != EAGAIN)
      fail("protection", page);
  }
}

void UserFaults::protect(uintptr_t page, size_t pages) {
  change_protection(descriptor_, page, pages, UFFDIO_WRITEPROTECT_MODE_WP);
}
void UserFaults::unprotect(uintptr_t page, Waiters waiters, size_t pages) {
  change_protection(descriptor_, page, pages, waiters == Waiters::Keep ? UFFDIO_WRITEPROTECT_MODE_DONTWAKE : 0);
}

void UserFaults::drop(uintptr_t page, size_t pages) {
  HETMP_CHECK(page == page_down(page) && pages != 0);
  if (madvise(reinterpret_cast<void*>(page), pages * page_bytes, MADV_DONTNEED) != 0)
    fail("removal", page);
}

void UserFaults::wake(uintptr_t page) {
  uffdio_range range{page, page_bytes};
  ioctl(descriptor_, UFFDIO_WAKE, &range);
}

} // namespace hetmp::dsm
