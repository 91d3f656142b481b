// A loop and the team that divides it, as far as arithmetic asks.
#pragma once

#include "base/node_set.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace hetmp::schedulers {

struct LoopShape {
  uint64_t trips = 0;
  std::vector<uint32_t> threads; ///< of each node of the program; 0 = the node is not in the team

  uint32_t nodes() const { return static_cast<uint32_t>(threads.size()); }
  uint32_t total_threads() const { return std::accumulate(threads.begin(), threads.end(), uint32_t{0}); }
};

} // namespace hetmp::schedulers
