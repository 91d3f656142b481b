// What a node is told of a team.
#pragma once

#include "runtime/global/team_description.hpp"

#include <vector>

namespace hetmp::runtime {

/// The description that node `node` gets of a team whose threads are dealt to nodes as `by_node` says, by the one of
/// node 0: how the threads are counted there; the rest is the same everywhere. The node has threads of the team.
TeamDescription part_of_node(const TeamDescription& of_node_0, const std::vector<uint32_t>& by_node, uint32_t node);

/// Overwrites `to` but for the arguments, which travel as far as they are used only (keep_arguments() in
/// team_setup.hpp).
void copy_all_but_arguments(TeamDescription& to, const TeamDescription& from);

} // namespace hetmp::runtime
