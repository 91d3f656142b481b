#include "runtime/loops/cancelling.hpp"

#include "base/check.hpp"
#include "runtime/global/node_cancellations.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/team/node_team.hpp"
#include "schedulers/policies/policy_table.hpp"

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

/// A loop that the coordinator need not hand out any more, by its global name; 0: none is in hand. One that is learned
/// from goes on until every node has had its last answer: the answers may hold for visits to come, on all nodes alike.
uint64_t loop_to_stop(const ImplicitTask& task) {
  const LoopProgress& loop = task.loop;
  const bool asks = loop.open && loop.schedule.kind != schedulers::ScheduleKind::Static;
  return asks && !schedulers::policy_of(loop.schedule.kind).learns ? loop.global_name : 0;
}

/// Whether another node has cancelled it, so far as is known here.
bool is_heard(const NodeTeam& team, uint32_t construct) {
  HETMP_CHECK((team.global != nullptr) == (team.cancelled.elsewhere != nullptr));
  return team.cancelled.elsewhere && team.cancelled.elsewhere->has_heard(team.description.team, construct);
}

/// By the first thread of the node to cancel it. Whoever has heard of it from another node tells nobody: that one does.
void tell_other_nodes(ImplicitTask& task, uint32_t construct) {
  NodeTeam& team = *task.team;
  if (!team.global || is_heard(team, construct))
    return;
  const bool is_region = construct == HeardCancellations::whole_region;
  team.global->cancellations.cancel_elsewhere(team.description, construct, is_region ? 0 : loop_to_stop(task));
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
    if (!task.team->cancelled.region.exchange(true, std::memory_order_relaxed))
      tell_other_nodes(task, HeardCancellations::whole_region);
    return true;
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    if (task.team->cancelled.of_worksharing(construct).exchange(construct, std::memory_order_relaxed) != construct)
      tell_other_nodes(task, construct);
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
    if (is_heard(*task.team, HeardCancellations::whole_region)) // and is brought to the next barrier from here as well
      task.team->cancelled.region.store(true, std::memory_order_relaxed);
    return task.team->cancelled.region.load(std::memory_order_relaxed);
  case Cancelled::Loop:
  case Cancelled::Sections: {
    const uint32_t construct = worksharing_in_hand(task);
    return task.team->cancelled.of_worksharing(construct).load(std::memory_order_relaxed) == construct ||
           is_heard(*task.team, construct);
  }
  case Cancelled::Nothing:
    break;
  }
  return false;
}

bool is_cancelled(ImplicitTask& task, Cancelled what) { return has_been_cancelled(task, what) && leave(task, what); }

} // namespace hetmp::runtime
