// TCP connections between processes of one machine that are yet to be made.
#pragma once

#include "dsm/transport/tcp_transport.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::dsm {

/// Element [i][j]: node i's sockets to node j. Over 127.0.0.1; nobody listens there afterwards. Ends the program if
/// that is impossible.
std::vector<std::vector<SocketPair>> connect_by_loopback(uint32_t nodes);

} // namespace hetmp::dsm
