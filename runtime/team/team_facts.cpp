#include "runtime/team/team_facts.hpp"

#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"

namespace hetmp::runtime {

TeamTasks& tasks_of(NodeTeam& team) { return team.tasks; }

uint32_t local_threads_of(const NodeTeam& team) { return team.local_threads(); }

bool has_nobody_to_leave_tasks_to(const NodeTeam& team) { return team.local_threads() == 1 && !team.global; }

const void* microtask_of(const NodeTeam& team) { return team.description.microtask; }

LateMembers& late_members_of(NodeTeam& team) { return team.late; }

Thread& owner_of_task(Thread& executing) {
  const ImplicitTask& task = *executing.task;
  return task.local_number == 0 ? executing : *task.team->crew[task.local_number - 1];
}

uint32_t node_of(const Thread& thread) { return thread.node; }

void wake_member(NodeTeam& team, uint32_t local_number) { team.crew[local_number - 1]->go.post(); }

} // namespace hetmp::runtime
