// Where HetProbe learns how many DSM faults this node has taken.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

/// Faults of this node since start; only grows. Without a DSM there are none.
extern uint64_t (*node_faults)();

} // namespace hetmp::runtime
