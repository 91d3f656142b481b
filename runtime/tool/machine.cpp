#include "runtime/tool/machine.hpp"

#include "base/environment.hpp"

#include <algorithm>
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

std::string first_line(const std::string& path) {
  std::string text(256, '\0');
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text.data(), text.size());
  if (file >= 0)
    close(file);
  text.resize(size_t(std::max<ssize_t>(length, 0)));
  return text.substr(0, text.find('\n'));
}

/// This process's group in the unified hierarchy: the line "0::/path" of /proc/self/cgroup.
std::string unified_group(const std::string& root) {
  const int file = open((root + "/proc/self/cgroup").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string text(16384, '\0');
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  text.resize(size_t(std::max<ssize_t>(length, 0)));
  const size_t line = text.starts_with("0::") ? 0 : text.find("\n0::");
  if (line == std::string::npos)
    return {};
  const size_t begin = text.find("0::", line) + 3;
  return text.substr(begin, text.find('\n', begin) - begin);
}

void keep_smallest(std::optional<double>& smallest, std::optional<double> quota) {
  if (quota && (!smallest || *quota < *smallest))
    smallest = quota;
}

} // namespace

const char* const fault_access_remedy =
    "allow this user to open /dev/userfaultfd, or set vm.unprivileged_userfaultfd=1, or grant CAP_SYS_PTRACE";

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

std::optional<double> parse_cpu_max(std::string_view text) {
  text = trimmed(text);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos)
    return {};
  const auto quota = parse_integer(text.substr(0, blank), 1, INT64_MAX);
  const auto period = parse_integer(text.substr(blank), 1, INT64_MAX);
  if (!quota || !period)
    return {};
  return double(*quota) / double(*period);
}

std::optional<double> cpu_quota(const std::string& root) {
  std::optional<double> smallest;
  for (std::string group = unified_group(root);; group.resize(group.rfind('/'))) {
    keep_smallest(smallest, parse_cpu_max(first_line(root + "/sys/fs/cgroup" + group + "/cpu.max")));
    if (group.find('/') == std::string::npos)
      break;
  }
  // Version 1 keeps the two numbers in files; a container sees its own group mounted at the top.
  const std::string old = root + "/sys/fs/cgroup/cpu/cpu.cfs_";
  keep_smallest(smallest, parse_cpu_max(first_line(old + "quota_us") + ' ' + first_line(old + "period_us")));
  return smallest;
}

std::string kernel_release() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
}

long page_bytes() {
  return sysconf(_SC_PAGESIZE);
}

} // namespace hetmp::tool
