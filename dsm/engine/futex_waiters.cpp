#include "dsm/engine/futex_waiters.hpp"

#include "base/clock.hpp"
#include "base/futex.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

/// The address the thread sleeps on in futex(), or 0. /proc/.../syscall says "202 0x7f... 0x80 ..." of a blocked
/// thread.
uintptr_t futex_of(int tasks, const char* thread) {
  char path[300];
  if (strlen(thread) > 20)
    return 0;
  strcpy(path, thread);
  strcat(path, "/syscall");
  const int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  char text[256];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0)
    return 0;
  text[length] = '\0';
  char* rest = nullptr;
  if (strtol(text, &rest, 10) != SYS_futex || rest == text)
    return 0;
  return strtoul(rest, nullptr, 16);
}

/// Wakes every thread of this process that sleeps on a futex in shared memory. Needs /proc; without it nobody is woken.
void wake_shared_futex_waiters(const AddressPlan& plan) {
  const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks < 0)
    return;
  // Not by opendir: it asks for memory, and the program may have a `malloc` of its own that the C library uses.
  alignas(dirent64) char entries[page_bytes];
  for (long bytes; (bytes = syscall(SYS_getdents64, tasks, entries, sizeof entries)) > 0;)
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const uintptr_t word = entry->d_name[0] == '.' ? 0 : futex_of(tasks, entry->d_name);
      if (word && plan.is_shared(word))
        futex_wake(*reinterpret_cast<const FutexWord*>(word), INT_MAX);
    }
  close(tasks);
}

} // namespace

void SharedFutexes::wake_if_due() {
  if (!lost_)
    return;
  const int64_t begin = monotonic_ns();
  if (begin < next_)
    return;
  lost_ = false;
  wake_shared_futex_waiters(plan_);
  const int64_t end = monotonic_ns();
  next_ = end + std::max<int64_t>(2'000'000, 50 * (end - begin));
}

std::optional<int64_t> SharedFutexes::until_due() const {
  return lost_ ? std::optional(std::max<int64_t>(next_ - monotonic_ns(), 0)) : std::nullopt;
}

} // namespace hetmp::dsm
