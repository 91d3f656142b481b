#include "dsm/node/futex_waiters.hpp"

#include "base/futex.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>

namespace hetmp::dsm {
namespace {

/// The address the thread sleeps on in futex(), or 0. /proc/.../syscall says "202 0x7f... 0x80 ..." of a blocked thread.
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

} // namespace

void wake_shared_futex_waiters(const AddressPlan& plan) {
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks)
    return;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.')
      continue;
    const uintptr_t word = futex_of(dirfd(tasks), entry->d_name);
    if (word && plan.is_shared(word))
      futex_wake(*reinterpret_cast<const FutexWord*>(word), INT_MAX);
  }
  closedir(tasks);
}

} // namespace hetmp::dsm
