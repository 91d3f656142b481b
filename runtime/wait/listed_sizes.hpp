// The sizes of teams inside one another that a num_threads clause with a list asks for.
#pragma once

#include "base/check.hpp"
#include "runtime/wait/write_changed.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::runtime {

/// Trivially copyable: it travels to other nodes with the description of a team.
struct ListedSizes {
  static constexpr uint32_t most = 16; ///< of a longer list so many count; nobody nests that deep

  uint32_t count = 0;       ///< 0: no clause with a list
  uint32_t first_level = 0; ///< of the region that the first one is for
  uint32_t sizes[most];

  /// Whether it says how many threads a region of that level has. What is deeper than the list is as large as what
  /// encloses it.
  bool names(uint32_t level) const { return level - first_level < count; }
  uint32_t at(uint32_t level) const {
    HETMP_CHECK(names(level) && count <= most);
    return sizes[level - first_level];
  }

  /// Only the entries that there are.
  void assign(const ListedSizes& other) {
    HETMP_CHECK(other.count <= most);
    write_changed(count, other.count);
    write_changed(first_level, other.first_level);
    std::copy(other.sizes, other.sizes + other.count, sizes);
  }
};

} // namespace hetmp::runtime
