// What is asked of a team by those who know it by name only: one fact each.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

struct NodeTeam;
struct TeamTasks;

/// Its explicit tasks, as far as they are executed on this node.
TeamTasks& tasks_of(NodeTeam& team);

/// Its threads on this node.
uint32_t local_threads_of(const NodeTeam& team);

/// A thread alone on its node, in a team of that node only.
bool has_nobody_to_leave_tasks_to(const NodeTeam& team);

} // namespace hetmp::runtime
