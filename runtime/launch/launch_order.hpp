// What a launcher makes of its command line and its own surroundings for each host.
#pragma once

#include "runtime/launch/launcher.hpp"
#include "runtime/launch/orders.hpp"

namespace hetmp::launch {

/// The host's name without the user that the remote shell is to log in as.
std::string own_name(const Host& host);

/// The order for one of the launch's nodes: the command, this folder, and the environment as it is here, without what
/// describes this login rather than the program.
Order make_order(const Launch& launch, uint32_t node);

} // namespace hetmp::launch
