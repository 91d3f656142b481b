// What joins this process to those of the other nodes. Kept once: whoever wants something of it (threads whose stacks
// all nodes reach, counts of faults, pages brought ahead) asks the fabric itself.
#pragma once

#include "dsm/fabric.hpp"

namespace hetmp::runtime {

/// Null unless the process is one of several nodes. Set by the library's start, before there are teams, and never
/// again: a forked child still finds it, and is one of several_processes() no more.
inline dsm::Fabric* fabric = nullptr;

/// Whether all nodes reach the variables on the calling thread's stack.
inline bool stack_is_reachable() { return !fabric || fabric->is_shared(__builtin_frame_address(0)); }

} // namespace hetmp::runtime
