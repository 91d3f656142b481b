#include "runtime/sync/barrier.hpp"

#include "base/check.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/global/node_barriers.hpp"
#include "runtime/global/node_regions.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/standard_output.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/sync/local_barrier.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/events.hpp"
#include "runtime/wait/write_changed.hpp"

#include <ctime>

namespace hetmp::runtime {

namespace {

/// A thread alone defers a task only if that waits for an event.
void finish_tasks_alone(ImplicitTask& task) {
  if (!task.team->released.tasks_announced())
    return;
  finish_tasks(task);
  HETMP_CHECK(task.team->tasks.all_complete());
  task.team->released.complete_with_tasks();
}

/// Among the names that the threads of a node give to constructs. The node counts its barriers, not the threads: those
/// that leave a cancelled region early count less constructs.
uint64_t next_barrier_name(NodeTeam& team) {
  constexpr uint64_t barriers = uint64_t(1) << 63;
  return barriers | ++team.barriers;
}

/// By the leader of the node: a word of all nodes. As long as this one waits for others they may hand it tasks, which
/// its threads execute; then it comes to the same barrier again.
uint64_t meet_nodes(ImplicitTask& task, uint64_t word, const void* site) {
  NodeTeam& team = *task.team;
  write_partial_line();
  const uint64_t name = next_barrier_name(team);
  HETMP_CHECK(team.arrived.load(std::memory_order_relaxed) == 0); // published by the arrivals: the others wait inside
  while (true) {
    const NodesMeeting meeting = team.global->barriers.barrier(team.description, name, word, site);
    if (meeting.over) {
      HETMP_CHECK_COSTLY(team.tasks.all_complete()); // given tasks are done before the node comes again
      write_changed(team.tasks.others_wait, false);
      return meeting.word;
    }
    accept_tasks(current_thread(), meeting.tasks);
    finish_tasks(task);
  }
}

} // namespace

void team_barrier(ImplicitTask& task, const void* site) {
  NodeTeam& team = *task.team;
  if (regions_may_be_cancelled) {
    cancel_barrier(task, site);
    return;
  }
  HETMP_CHECK(task.local_number < team.local_threads());
  const ompt::SyncRegion told;
  if (team.alone()) {
    finish_tasks_alone(task);
    return;
  }
  const events::AtBarrier at_barrier(task);
  local_barrier_with_tasks(task, [&] {
    events::visit_ends(team);
    if (team.global)
      meet_nodes(task, 0, site);
  });
}

bool team_barrier_by_other(ImplicitTask& task) {
  NodeTeam& team = *task.team;
  if (regions_may_be_cancelled || team.global || team.alone() || team.late.any() || team.released.tasks_announced())
    return false;
  const events::AtBarrier at_barrier(task);
  const uint32_t seen = team.released.epoch();
  if (!arrive_last(team)) {
    team.released.wait_while(seen);
    return true;
  }
  // There may be tasks by now: whoever has generated one waits here, and executes what there is.
  constexpr timespec moment = {0, 50'000};
  while (!team.tasks.all_complete())
    nanosleep(&moment, nullptr);
  HETMP_CHECK(team.released.epoch() == seen);
  complete_barrier(team);
  return true;
}

uint64_t meet(ImplicitTask& task, uint64_t word, const void* site) {
  NodeTeam& team = *task.team;
  const ompt::SyncRegion told;
  task.worksharing++;
  if (team.alone()) {
    finish_tasks_alone(task);
    return word;
  }
  const events::AtBarrier at_barrier(task);
  if (word != 0)
    team.words.fetch_or(word, std::memory_order_relaxed); // published by the arrival
  local_barrier_with_tasks(task, [&] {
    events::visit_ends(team);
    const uint64_t local = team.words.exchange(0, std::memory_order_relaxed);
    team.barrier_word = team.global ? meet_nodes(task, local, site) : local;
  });
  return team.barrier_word; // stays until every thread of the node has arrived at the next one
}

uint64_t team_barrier_with_pointer(ImplicitTask& task, const void* pointer) {
  return meet(task, reinterpret_cast<uint64_t>(pointer) | (regions_may_be_cancelled ? inside_region : 0)) &
         pointer_bits;
}

NodeRegions::Seen join_nodes(NodeTeam& team, const NodeRegions::Seen& seen) {
  return global_level()->regions.join(team.description, next_barrier_name(team), seen);
}

} // namespace hetmp::runtime
