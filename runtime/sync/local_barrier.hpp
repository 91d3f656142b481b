// How the threads of one node meet, on the way of every barrier: what a team's barriers (barrier.hpp) are made of.
#pragma once

#include "base/check.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {

/// Whether the calling thread is the last of its node to come. acq_rel: a release sequence through all arrivals; the
/// last one acquires them all.
inline bool arrive_last(NodeTeam& team) {
  const uint32_t others = team.arrived.fetch_add(1, std::memory_order_acq_rel);
  HETMP_CHECK(others < team.local_threads());
  if (others + 1 != team.local_threads())
    return false;
  team.arrived.store(0, std::memory_order_relaxed); // published when the barrier is completed
  team.meetings++;
  return true;
}

/// By the last one, when all explicit tasks of the node are complete: lets all go.
inline void complete_barrier(NodeTeam& team) {
  HETMP_CHECK(team.tasks.all_complete());
  if (__builtin_expect(!spinning_pays(), 0))
    team.primary_lead.completes(monotonic_nanoseconds());
  if (__builtin_expect(team.released.tasks_announced(), 0)) {
    team.released.complete_with_tasks();
    team.tasks.bell.ring();
  } else {
    team.released.complete();
  }
}

/// By a thread that leaves the barrier it came to in this epoch: see primary_lead.hpp.
inline void leave_barrier(ImplicitTask& task, uint32_t epoch) {
  if (__builtin_expect(spinning_pays(), 1))
    return;
  PrimaryLead& lead = task.team->primary_lead;
  if (task.local_number == 0)
    lead.leaves(epoch, monotonic_nanoseconds());
  else if (lead.has_to_wait(epoch))
    sched_yield();
}

/// Threads of one node meet. The last to arrive runs `last` while the others wait: everything they wrote before is
/// visible to it, and everything it writes is visible to them afterwards. Explicit tasks go on as they are.
template <class Last> void local_barrier(NodeTeam& team, Last&& last) {
  if (team.late.any()) [[unlikely]]
    start_late_members(team);
  const uint32_t seen = team.released.epoch(); // cannot move before this thread has arrived
  if (arrive_last(team)) {
    last();
    HETMP_CHECK(team.released.epoch() == seen);
    team.released.complete();
  } else {
    team.released.wait_while(seen);
  }
}

/// The same for the barriers of the specification: before `last` all explicit tasks of the node are complete, executed
/// by the threads that wait.
template <class Last> void local_barrier_with_tasks(ImplicitTask& task, Last&& last) {
  NodeTeam& team = *task.team;
  if (team.late.any()) [[unlikely]]
    start_late_members(team);
  const uint32_t seen = team.released.epoch();
  if (arrive_last(team)) {
    if (__builtin_expect(team.released.tasks_announced(), 0))
      finish_tasks(task);
    last(); // which may bring other nodes' tasks
    HETMP_CHECK(team.released.epoch() == seen);
    complete_barrier(team);
  } else {
    if (!team.released.wait_or_tasks(seen))
      help_at_barrier(task, seen);
    if (task.has_waited) [[unlikely]]
      task.has_waited();
  }
  leave_barrier(task, seen);
}

} // namespace hetmp::runtime
