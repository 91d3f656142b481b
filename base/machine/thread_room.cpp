#include "base/machine/thread_room.hpp"

#include "base/environment.hpp"
#include "base/machine/control_group.hpp"

#include <algorithm>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace hetmp {
namespace {

struct Smallest {
  uint64_t value = INT64_MAX;
  std::string name = "there is no limit";

  void consider(uint64_t limit, std::string_view what) {
    if (limit >= value)
      return;
    value = limit;
    name = std::string(what) + " is " + std::to_string(limit);
  }
  /// "max" and what is malformed limit nothing.
  void consider_file(const std::string& path, std::string_view what) {
    if (const auto limit = parse_integer(first_line(path), 1, INT64_MAX))
      consider(uint64_t(*limit), what);
  }
};

} // namespace

ThreadRoom thread_room(const std::string& root) {
  Smallest smallest;
  smallest.consider_file(root + "/proc/sys/kernel/threads-max", "kernel.threads-max");
  smallest.consider_file(root + "/proc/sys/kernel/pid_max", "kernel.pid_max");
  for (const char* controller : {"", "pids"}) // version 2, version 1
    for_each_control_group(root, controller, [&](const std::string& folder) {
      smallest.consider_file(folder + "/pids.max", "pids.max of the control group");
    });
  rlimit limit{};
  if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    smallest.consider(limit.rlim_cur, "ulimit -u");
  return {std::max<uint64_t>(smallest.value / 2, 1), smallest.name};
}

uint32_t threads_with_room(uint32_t threads, std::string& limit) {
  if (threads <= unquestioned_threads)
    return threads;
  static const ThreadRoom& room = *new ThreadRoom(thread_room()); // never destroyed: threads may run until the end
  limit = room.limit;
  return uint32_t(std::clamp<uint64_t>(room.threads, unquestioned_threads, threads));
}

} // namespace hetmp
