// The last step on a host: this process becomes the program, as one of the nodes.
#pragma once

#include "runtime/launch/orders.hpp"

#include <string>

namespace hetmp::launch {

/// The soft limit of this process's stack in bytes, as all nodes are to have it; the usual one in place of none.
uint64_t stack_limit();

/// Connects the nodes and executes the program. `library`: libhetmp.so here. Returns, after one line that says why, an
/// exit code if that is not possible: 126 and 127 as shells use them, else 1. `words`: see LaunchPlan; negative: none.
int become_node(const Order& order, const Start& start, const ListeningSocket& listening, const std::string& library,
                int words = -1);

} // namespace hetmp::launch
