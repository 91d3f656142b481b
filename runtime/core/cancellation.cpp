#include "runtime/core/cancellation.hpp"

#include "runtime/core/barrier.hpp"
#include "runtime/core/loop.hpp"
#include "runtime/tasking/execution.hpp"

namespace hetmp::runtime {
namespace {

/// The thread leaves a loop before its end: what would still come to it is taken and not executed, so that the loop is over when
/// all threads have left it.
void abandon_loop(ImplicitTask& task) {
  schedulers::Range chunk;
  while (next_chunk(task, chunk)) {
  }
}

bool leave(ImplicitTask& task, Cancelled what) {
  if (what == Cancelled::Loop || what == Cancelled::Sections)
    abandon_loop(task);
  return true;
}

} // namespace

bool cancel(ImplicitTask& task, Cancelled what) {
  if (!program_icvs().cancellation)
    return false;
  if (what == Cancelled::Taskgroup) {
    TaskGroup* group = generating_task(task).group;
    if (group)
      group->cancelled.store(true, std::memory_order_relaxed);
    return group != nullptr;
  }
  // relaxed: whoever sees it later goes on for a while; the barrier orders the rest.
  task.team->cancelled.fetch_or(uint32_t(what), std::memory_order_relaxed);
  return leave(task, what);
}

bool has_been_cancelled(ImplicitTask& task, Cancelled what) {
  if (!program_icvs().cancellation)
    return false;
  if (what == Cancelled::Taskgroup) {
    const TaskGroup* group = generating_task(task).group;
    return group && group->cancelled.load(std::memory_order_relaxed);
  }
  return (task.team->cancelled.load(std::memory_order_relaxed) & uint32_t(what)) != 0;
}

bool is_cancelled(ImplicitTask& task, Cancelled what) {
  return has_been_cancelled(task, what) && leave(task, what);
}

bool cancel_barrier(ImplicitTask& task) {
  if (!program_icvs().cancellation) {
    team_barrier(task);
    return false;
  }
  NodeTeam& team = *task.team;
  if (team_barrier_with_word(task, team.cancelled.load(std::memory_order_relaxed)) == 0)
    return false;
  team_barrier(task); // all have read it
  team.cancelled.store(0, std::memory_order_relaxed);
  team_barrier(task); // nobody cancels the next construct before it is forgotten
  return true;
}

} // namespace hetmp::runtime
