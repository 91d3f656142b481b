#include "runtime/team/team_size.hpp"

#include "base/check.hpp"
#include "base/exit_codes.hpp"
#include "base/machine/thread_room.hpp"
#include "base/message.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/write_changed.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <algorithm>

namespace hetmp::runtime {

namespace {

/// Of a team larger than unquestioned_threads.
__attribute__((noinline, cold)) uint32_t questioned(uint32_t threads) {
  std::string limit;
  const uint32_t most = threads_with_room(threads, limit);
  static bool said = false;
  if (most < threads)
    say_once(said, "a team of %u threads would take more than half of what there is (%s); teams have at most %u",
             threads, limit.c_str(), most);
  return most;
}

} // namespace

uint32_t wanted_threads(Thread& self) {
  const TaskIcvs& icvs = self.task->icvs;
  uint32_t threads = most_threads_of_next_team(self);
  self.pushed_threads = 0;
  if (self.task->active_level >= icvs.max_active_levels)
    return 1;
  if (icvs.dynamic)
    threads = std::min(threads, default_team_size(layout()));
  threads = std::min(threads, std::max(icvs.thread_limit, 1u));
  if (threads > unquestioned_threads)
    threads = questioned(threads);
  if (ContentionGroup* group = counted_group(*self.task))
    threads = group->take(threads);
  HETMP_CHECK(threads != 0);
  return threads;
}

ContentionGroup* counted_group(const ImplicitTask& task) {
  ContentionGroup* group = task.team->contention;
  return group && group->limit == task.icvs.thread_limit ? group : nullptr;
}

void begin_contention_group(NodeTeam& team) {
  const TeamDescription& part = team.description;
  const uint32_t limit = part.icvs.thread_limit;
  write_changed(team.contention, limit == no_thread_limit ? nullptr : &team.own_contention);
  if (!team.contention)
    return;
  HETMP_CHECK(part.local_threads != 0 && part.first_thread + part.local_threads <= part.threads);
  const uint32_t to_spare = limit - std::min(limit, part.threads);
  const uint32_t first = part.first_thread, last = first + part.local_threads - 1;
  const uint64_t spare_here = schedulers::static_share(to_spare, part.threads, last).end -
                              schedulers::static_share(to_spare, part.threads, first).begin;
  team.own_contention.begin(limit, part.local_threads + uint32_t(spare_here), part.local_threads);
}

uint32_t most_threads_of_next_team(const Thread& self) {
  return std::max(self.pushed_threads != 0 ? self.pushed_threads : self.task->icvs.nthreads, 1u);
}

void tell_smaller_team(const StrictSize& wanted, uint32_t threads) {
  const char* separator = wanted.message ? ": " : "";
  const char* message = wanted.message ? wanted.message : "";
  if (wanted.fatal)
    die(exit_code::failure, "num_threads(strict: %u) gives a team of %u%s%.900s", wanted.threads, threads, separator,
        message);
  say("num_threads(strict: %u) gives a team of %u%s%.900s", wanted.threads, threads, separator, message);
}

} // namespace hetmp::runtime
