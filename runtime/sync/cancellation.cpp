#include "runtime/sync/cancellation.hpp"

#include "runtime/loops/loop.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/tasking/execution.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

/// Where the thread is, as all threads of the team number it: in one of the constructs that the runtime has seen begin,
/// or behind it. Never 0. gcc's static loops are not seen: one of those is named by what is behind the construct or
/// barrier before it.
uint32_t worksharing_in_hand(const ImplicitTask& task) {
  return task.worksharing * 2 + (task.loop.open || task.in_static_loop ? 1 : 0);
}

std::atomic<uint32_t>& cancelled_slot(NodeTeam& team, uint32_t construct) {
  return team.cancelled_worksharing[construct % NodeTeam::cancelled_ring];
}

/// The thread leaves a loop before its end: what would still come to it is taken and not executed, so that the loop is
/// over when all threads have left it.
void abandon_loop(ImplicitTask& task) {
  schedulers::Range chunk;
  while (next_chunk(task, chunk)) {
  }
}

/// The thread goes to the end of the construct that was cancelled. Compilers may or may not end a static loop that is
/// left so.
void leave_worksharing(ImplicitTask& task) {
  task.left_worksharing = true;
  if (task.loop.open && !task.loop.ordered) // chunks of an ordered one come in turn, which others may not give any more
    abandon_loop(task);
  if (task.in_static_loop)
    end_static_loop(task);
}

bool leave(ImplicitTask& task, Cancelled what) {
  if (what == Cancelled::Loop || what == Cancelled::Sections)
    leave_worksharing(task);
  return true;
}

/// What `cancel taskgroup` means in the task: the taskgroup that the program has written around it. One that the
/// runtime has made for a reduction is meant where there is no other.
TaskGroup* taskgroup_around(ImplicitTask& task) {
  TaskGroup* group = generating_task(task).group;
  return group && group->of_reduction && group->outer ? group->outer : group;
}

// Part of a word at a barrier.
constexpr uint64_t region_is_cancelled = uint64_t(1) << 56;
constexpr uint64_t somebody_left = uint64_t(1) << 57; ///< the loop or sections that end here, before their end

/// All threads meet and tell each other what is cancelled; `more` goes into the word. A region that is cancelled stays
/// so.
uint64_t meet_and_tell(ImplicitTask& task, uint64_t more, const void* site = nullptr) {
  NodeTeam& team = *task.team;
  if (std::exchange(task.left_worksharing, false))
    more |= somebody_left;
  if (team.cancelled.load(std::memory_order_relaxed))
    more |= region_is_cancelled;
  const uint64_t word = meet(task, more, site);
  if ((word & region_is_cancelled) != 0) {
    team.cancelled.store(true, std::memory_order_relaxed);
    team.out_of_step.store(true, std::memory_order_relaxed);
  }
  return word;
}

} // namespace

bool cancel(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  // relaxed: whoever sees it later goes on for a while; the barrier orders the rest.
  switch (what) {
  case Cancelled::Taskgroup:
    if (TaskGroup* group = taskgroup_around(task)) {
      group->cancelled.store(true, std::memory_order_relaxed);
      return true;
    }
    return false;
  case Cancelled::Parallel:
    task.team->cancelled.store(true, std::memory_order_relaxed);
    return true;
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    cancelled_slot(*task.team, construct).store(construct, std::memory_order_relaxed);
    return leave(task, what);
  }
  case Cancelled::Nothing:
    break;
  }
  return false;
}

bool has_been_cancelled(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  switch (what) {
  case Cancelled::Taskgroup: {
    const TaskGroup* group = taskgroup_around(task);
    return group && group->cancelled.load(std::memory_order_relaxed);
  }
  case Cancelled::Parallel:
    return task.team->cancelled.load(std::memory_order_relaxed);
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    return cancelled_slot(*task.team, construct).load(std::memory_order_relaxed) == construct;
  }
  case Cancelled::Nothing:
    break;
  }
  return false;
}

bool is_cancelled(ImplicitTask& task, Cancelled what) { return has_been_cancelled(task, what) && leave(task, what); }

bool cancel_barrier(ImplicitTask& task, const void* site) {
  if (!regions_may_be_cancelled) {
    team_barrier(task, site);
    return false;
  }
  if (std::exchange(task.has_met_at_reduction, false))
    return task.team->cancelled.load(std::memory_order_relaxed);
  return (meet_and_tell(task, inside_region, site) & region_is_cancelled) != 0;
}

void reduction_barrier(ImplicitTask& task, const void* site) {
  task.has_met_at_reduction = (meet_and_tell(task, inside_region, site) & somebody_left) != 0;
}

void meet_at_end(ImplicitTask& task) {
  if (!regions_may_be_cancelled)
    return;
  while ((meet_and_tell(task, 0) & inside_region) != 0) {
  }
}

} // namespace hetmp::runtime
