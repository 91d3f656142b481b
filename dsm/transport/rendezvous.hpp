// What nodes tell each other before their transport works: its addresses and keys, say, for an interconnect that writes
// into the receiver's memory.
#pragma once

#include "dsm/transport/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace hetmp::dsm {

/// For the slowest: it may still be loading its program.
inline constexpr int64_t usual_rendezvous_ns = 30'000'000'000;

/// Sends `own`, so many bytes, over the first socket to each node and puts what they send at `all`, one behind the
/// other in the order of the nodes, with `own` in its place. Every node calls it, with the same size; waits for the
/// slowest. Leaves the sockets open, and nothing in them. Empty, or what went wrong.
std::string exchange_bytes(uint32_t self, const std::vector<SocketPair>& sockets, const void* own, size_t bytes,
                           void* all, int64_t patience_ns = usual_rendezvous_ns);

/// The same with other bytes for each: `own` has what each node is to get, one behind the other, that of the node
/// itself included.
std::string exchange_each(uint32_t self, const std::vector<SocketPair>& sockets, const void* own, size_t bytes,
                          void* all, int64_t patience_ns = usual_rendezvous_ns);

/// `all[i]` for each node: in, of node `self`, what is to be told; out, of the others, what they tell.
template <class T> std::string exchange(uint32_t self, const std::vector<SocketPair>& sockets, std::vector<T>& all) {
  static_assert(std::is_trivially_copyable_v<T>);
  const T own = all[self];
  return exchange_bytes(self, sockets, &own, sizeof own, all.data());
}

} // namespace hetmp::dsm
