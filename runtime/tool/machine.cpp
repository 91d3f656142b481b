#include "runtime/tool/machine.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xAA, 0x00)
#endif

namespace hetmp::tool {
namespace {

/// The kernel's answer to the handshake: may anonymous memory be write-protected?
bool offers_write_protect(int descriptor) {
  uffdio_api api{};
  api.api = UFFD_API;
  return ioctl(descriptor, UFFDIO_API, &api) == 0 && (api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP) != 0;
}

int from_device() {
  const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  if (device < 0)
    return -1;
  const int descriptor = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
  close(device);
  return descriptor;
}

} // namespace

const char* const fault_access_remedy =
    "allow this user to open /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1, or pass on CAP_SYS_PTRACE as an "
    "ambient capability";

FaultAccess probe_fault_access() {
  using Source = FaultAccess::Source;
  FaultAccess access;
  access.source = Source::Device;
  int descriptor = from_device();
  if (descriptor < 0) {
    access.source = Source::SystemCall;
    descriptor = int(syscall(SYS_userfaultfd, O_CLOEXEC));
  }
  access.kernel_faults = descriptor >= 0;
  if (descriptor < 0) {
    access.source = Source::UserModeOnly;
    descriptor = int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
  }
  if (descriptor < 0) {
    access.source = Source::Refused;
    access.error = errno;
    return access;
  }
  access.write_protect = offers_write_protect(descriptor);
  close(descriptor);
  return access;
}

Permission probe_realtime_priority() {
  int error = 0;
  // On a thread of its own: the answer must not change the caller's priority.
  std::thread([&error] {
    const sched_param lowest{sched_get_priority_min(SCHED_FIFO)};
    if (sched_setscheduler(0, SCHED_FIFO, &lowest) != 0)
      error = errno;
  }).join();
  if (error == 0)
    return {};
  return {std::string(strerror(error)) + "; needs CAP_SYS_NICE or a limit (ulimit -r) above 0"};
}

std::string kernel_release() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
}

long page_bytes() { return sysconf(_SC_PAGESIZE); }

} // namespace hetmp::tool
