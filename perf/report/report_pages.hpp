// What the report says about pages: how many faults each node took, the pages that took most, and those that
// bounce. Values only; the runtime fills them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::perf {

/// One node's faults over the whole program.
struct NodeFaultTotals {
  uint64_t read_misses = 0;
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t invalidations = 0;
  uint64_t bytes_received = 0;
  uint64_t messages = 0; ///< about pages, from other nodes
  double waited_us = 0;  ///< from faults to their pages
  bool known = true;     ///< false: the node did not say in time
};

/// One of the pages that took most faults.
struct HotPage {
  uint64_t address = 0;
  uint64_t read_misses = 0; ///< of all nodes, as what follows
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t turns = 0; ///< times the right to write came back to a node after another one had taken it
  double waited_us = 0;
  uint64_t faults() const { return read_misses + write_misses + write_upgrades; }
};

struct BouncingWriter {
  uint32_t node = 0;
  uint64_t turns = 0;
  uint64_t faults = 0;
  double waited_us = 0;
  /// First and last byte that writes to which have faulted, from the first page's beginning; first > last =
  /// not known.
  uint64_t first = 1;
  uint64_t last = 0;
};

struct RegionTurns {
  std::string region; ///< "file.c:12 function"; empty = outside parallel regions
  uint64_t turns = 0;
};

/// Pages side by side, holding the same, that nodes write in turns.
struct BouncingPages {
  uint64_t address = 0;
  uint64_t pages = 1;
  std::vector<std::string> holds; ///< variables, or the block of the heap; empty = not known
  std::vector<BouncingWriter> writers;
  std::vector<RegionTurns> regions; ///< most turns first
  uint64_t turns = 0;
  double waited_us = 0;
  /// Whether a word (4 bytes) was seen written by more than one node. Otherwise what they write only lies on
  /// one page.
  enum class Words { Unknown, Different, Same } words = Words::Unknown;
  uint64_t faults() const {
    uint64_t sum = 0;
    for (const BouncingWriter& writer : writers)
      sum += writer.faults;
    return sum;
  }
};

} // namespace hetmp::perf
