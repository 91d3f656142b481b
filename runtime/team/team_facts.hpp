// What is asked of a team by those who know it by name only: one fact each.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

class LateMembers;
struct NodeTeam;
struct TeamTasks;
struct Thread;

/// Its explicit tasks, as far as they are executed on this node.
TeamTasks& tasks_of(NodeTeam& team);

/// Its threads on this node.
uint32_t local_threads_of(const NodeTeam& team);

/// A thread alone on its node, in a team of that node only.
bool has_nobody_to_leave_tasks_to(const NodeTeam& team);

/// The outlined function that it executes.
const void* microtask_of(const NodeTeam& team);

/// Those that have not begun.
LateMembers& late_members_of(NodeTeam& team);

/// Whose the task of `executing` is: a primary executes members that begin late in their workers' place.
Thread& owner_of_task(Thread& executing);

/// Whose CPUs it runs on.
uint32_t node_of(const Thread& thread);

/// Lets a member of it begin whose worker has got its job.
void wake_member(NodeTeam& team, uint32_t local_number);

} // namespace hetmp::runtime
