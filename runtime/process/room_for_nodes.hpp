// Whether the limits of this process leave room for node processes. To be asked before the program is executed for
// them: what is found missing afterwards ends the run, what is found missing now leaves it one node.
#pragma once

#include "dsm/launch_plan.hpp"

#include <string>

namespace hetmp::runtime {

/// Empty if there is room for the nodes that the plan has on this machine; else what they need and which limit is in
/// the way, a clause.
std::string why_no_room(const dsm::LaunchPlan& plan);

} // namespace hetmp::runtime
