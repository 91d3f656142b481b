#include "runtime/regions/leaving.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/tasking/help_until.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/calling_back.hpp"

#include <utility>

namespace hetmp::runtime {

namespace {

/// In the region's end, by a worker that has tasks to execute there.
void help_to_the_end(Thread& worker, NodeTeam& team) {
  const uint32_t epoch = team.released.epoch(); // no barrier is left in the region: its end moves it on
  team.region_end.helping.fetch_add(1, std::memory_order_seq_cst);
  team.tasks.bell.ring();
  help_until(worker, nullptr, [&] { return team.released.epoch() != epoch; });
}

__attribute__((noinline)) void help_and_travel(Thread& worker, NodeTeam& team) {
  const travelling::TasksJourney journey(*worker.task);
  help_to_the_end(worker, team);
}

} // namespace

void leave_region(Thread& worker, NodeTeam& team) {
  // Its region ends when the last thread comes: where a tool looks, all that come wait as if there were tasks.
  const ompt::SyncRegion barrier(ompt::SyncKind::BarrierImplicitParallel);
  // release: pairs with announce_tasks(), which writes to this thread's record when it sees this. That it does see it
  // once this worker is not counted any more is leave_unless_tasks()'s doing.
  worker.leaving.store(team.region_end.region(), std::memory_order_release);
  ImplicitTask* task = std::exchange(worker.task, nullptr);
  HETMP_CHECK(task && task->team == &team && task->local_number != 0); // still a member, and no primary
  if (team.region_end.leave_unless_tasks())
    return;
  if (take_leaving(worker, team)) {
    worker.task = task;
    if (team.travels) [[unlikely]]
      help_and_travel(worker, team);
    else
      help_to_the_end(worker, team);
    worker.task = nullptr;
  } // else it has been called back, taken for one that has left: it comes once more
  ompt::leave_region_record();
  team.region_end.leave();
}

void finish_region(Thread& primary, NodeTeam& team) {
  if (team.local_threads() == 1) {
    HETMP_CHECK(primary.task == &team.members[0]);
    if (team.released.tasks_announced()) {
      finish_tasks(*primary.task);
      team.released.complete_with_tasks();
    }
    return;
  }
  if (team.region_end.wait_or_tasks())
    return;
  help_until(primary, nullptr, [&] {
    // Helping workers are among those that have not left, so read in this order the two are equal only if all of these
    // help.
    const uint32_t helping = team.region_end.helping.load(std::memory_order_seq_cst);
    return team.region_end.workers() == helping && team.tasks.all_complete();
  });
  team.released.complete_with_tasks();
  team.tasks.bell.ring();
  team.region_end.wait();
  HETMP_CHECK(team.region_end.workers() == 0 && team.tasks.all_complete());
}

} // namespace hetmp::runtime
