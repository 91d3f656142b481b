#include "runtime/loops/cancelling.hpp"

#include "base/check.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {
namespace {

/// Where the thread is, as all threads of the team number it: in one of the constructs that the runtime has seen begin,
/// or behind it. Never 0. gcc's static loops are not seen: one of those is named by what is behind the construct or
/// barrier before it.
uint32_t worksharing_in_hand(const ImplicitTask& task) {
  HETMP_CHECK(task.worksharing != 0);
  return task.worksharing * 2 + (task.loop.open || task.in_static_loop ? 1 : 0);
}

/// The thread goes to the end of the construct that was cancelled. Compilers may or may not end a static loop that is
/// left so.
void leave_worksharing(ImplicitTask& task) {
  task.left_worksharing = true;
  if (!task.loop.ordered) // chunks of an ordered one come in turn, which others may not give any more
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

} // namespace

// relaxed: whoever sees it later goes on for a while; the barrier orders the rest.
bool cancel(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  switch (what) {
  case Cancelled::Taskgroup:
    if (TaskGroup* group = taskgroup_around(task)) {
      group->cancelled.store(true, std::memory_order_relaxed);
      return true;
    }
    return false;
  case Cancelled::Parallel:
    task.team->cancelled.region.store(true, std::memory_order_relaxed);
    return true;
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    task.team->cancelled.of_worksharing(construct).store(construct, std::memory_order_relaxed);
    return leave(task, what);
  }
  case Cancelled::Nothing:
    break;
  }
  return false;
}

// relaxed: see cancel().
bool has_been_cancelled(ImplicitTask& task, Cancelled what) {
  if (!regions_may_be_cancelled)
    return false;
  switch (what) {
  case Cancelled::Taskgroup: {
    const TaskGroup* group = taskgroup_around(task);
    return group && group->cancelled.load(std::memory_order_relaxed);
  }
  case Cancelled::Parallel:
    return task.team->cancelled.region.load(std::memory_order_relaxed);
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    return task.team->cancelled.of_worksharing(construct).load(std::memory_order_relaxed) == construct;
  }
  case Cancelled::Nothing:
    break;
  }
  return false;
}

bool is_cancelled(ImplicitTask& task, Cancelled what) { return has_been_cancelled(task, what) && leave(task, what); }

} // namespace hetmp::runtime
