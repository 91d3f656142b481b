#include "runtime/core/team_size.hpp"

#include "base/message.hpp"
#include "base/thread_room.hpp"
#include "runtime/core/nodes.hpp"

#include <algorithm>

namespace hetmp::runtime {

namespace {

constexpr int exit_code_failure = 1; // as of the error directive

/// Of a team larger than unquestioned_threads.
__attribute__((noinline, cold)) uint32_t questioned(uint32_t threads) {
  std::string limit;
  const uint32_t most = threads_with_room(threads, limit);
  static bool said = false;
  if (most < threads)
    say_once(said, "a team of %u threads would take more than half of what there is (%s); teams have at most %u", threads, limit.c_str(),
             most);
  return most;
}

} // namespace

uint32_t threads_with_room(uint32_t threads, std::string& limit) {
  if (threads <= unquestioned_threads)
    return threads;
  static const ThreadRoom& room = *new ThreadRoom(thread_room()); // asked for once; never destroyed: threads may run until the end
  limit = room.limit;
  return uint32_t(std::clamp<uint64_t>(room.threads, unquestioned_threads, threads));
}

uint32_t wanted_threads(Thread& self) {
  const TaskIcvs& icvs = self.task->icvs;
  uint32_t threads = most_threads_of_next_team(self);
  self.pushed_threads = 0;
  if (self.task->active_level >= icvs.max_active_levels)
    return 1;
  if (icvs.dynamic)
    threads = std::min(threads, default_team_size(layout()));
  if (threads > icvs.thread_limit)
    threads = icvs.thread_limit;
  if (self.task->active_level > 0 && icvs.thread_limit < INT32_MAX) {
    // Inside another team: its threads count too (relaxed: the limit bounds what is started, not an exact instant).
    const uint32_t others = threads_in_use.load(std::memory_order_relaxed) - 1;
    threads = std::min(threads, icvs.thread_limit > others + 1 ? icvs.thread_limit - others : 1);
  }
  return threads <= unquestioned_threads ? threads : questioned(threads);
}

uint32_t most_threads_of_next_team(const Thread& self) {
  return std::max(self.pushed_threads != 0 ? self.pushed_threads : self.task->icvs.nthreads, 1u);
}

void tell_smaller_team(const StrictSize& wanted, uint32_t threads) {
  const char* separator = wanted.message ? ": " : "";
  const char* message = wanted.message ? wanted.message : "";
  if (wanted.fatal)
    die(exit_code_failure, "num_threads(strict: %u) gives a team of %u%s%.900s", wanted.threads, threads, separator, message);
  say("num_threads(strict: %u) gives a team of %u%s%.900s", wanted.threads, threads, separator, message);
}

} // namespace hetmp::runtime
