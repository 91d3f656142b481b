// How the keys of a node's connections get from the launcher's code to the DSM library of the program that it executes:
// through a pipe, inherited beside the sockets. The environment is no place for them, since every process that the
// program starts has it. What is read from a pipe is gone: a second program that inherits it finds nothing, and so
// cannot use keys again whose numbers have been used.
#pragma once

#include "base/seal/cipher.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

/// Of each node, by lane; those of the node itself mean nothing. Empty: connections are not sealed.
using ConnectionKeys = std::vector<std::array<seal::KeyPair, 2>>;

/// The descriptor to read them from, which is inherited; -1, with errno, if that is impossible.
int pass_keys(const ConnectionKeys& keys);

/// Reads the keys for so many nodes and closes the descriptor. Empty if they are not there (any more).
ConnectionKeys take_keys(int descriptor, size_t nodes);

/// Overwrites them, and there are none.
void forget(ConnectionKeys& keys);

/// Fresh keys for all connections between `nodes` processes that do not yet exist: element i is node i's. Ends the
/// program if the system gives no random numbers.
std::vector<ConnectionKeys> make_keys(uint32_t nodes);

} // namespace hetmp::dsm
