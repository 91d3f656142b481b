// What a node has seen of the pages it faults on most: faults by kind, the time they took, and how often the right to
// write a page came back after another node had taken it. Pages that come back on several nodes bounce.
//
// A table of fixed size in private memory: sets of a few entries, the page's address says which set. A page that finds
// its set full takes the place of the entry with the least weight and goes on from that weight (the space-saving
// algorithm in each set), so a page with more than its share of the events stays, and a flood of pages that are seen
// once cannot keep others out. Nothing is allocated after construction, and an event costs a look at one set.
#pragma once

#include "dsm/fabric.hpp"
#include "dsm/space/handed_over.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

class PageStatistics {
 public:
  static constexpr size_t sets = 256, ways = 8; ///< `sets` is a power of two
  enum class Fault : uint8_t { ReadMiss, WriteMiss, WriteUpgrade };
  static constexpr uint32_t unknown_offset = UINT32_MAX;

  PageStatistics();

  // Of the service thread. `page` is the page's address, `now` any clock in nanoseconds, the same one for all.

  /// A thread waits for the page, or for the right to write it. `offset`: of the access in the page, if it is known.
  void faulted(uintptr_t page, Fault kind, uint32_t offset, int64_t now);
  struct Wait {
    int64_t since = 0;            ///< 0: nobody waited, or it is not known any more
    Fault kind = Fault::ReadMiss; ///< the first
  };
  /// What was waited for is there.
  Wait came(uintptr_t page, bool writable, int64_t now);
  /// The copy was given up because another node writes.
  void lost(uintptr_t page);
  /// Up to `most` of the pages with most weight, heaviest first; returns how many.
  size_t hottest(PageRecord* records, size_t most);
  /// Time in faults since the beginning, of all pages, those included that were forgotten.
  uint64_t waited_ns() const { return waited_ns_; }

  /// Any thread: the node's threads are in this region from now on.
  void enter_region(uint64_t region) { region_.set(region); }

 private:
  struct Entry {
    PageRecord record;
    Wait wait;
    bool lost = false; ///< and not written since
  };

  static constexpr size_t none = SIZE_MAX;
  size_t find(uintptr_t page) const; ///< its entry's index, or none
  size_t find_or_replace(uintptr_t page);
  void count_return(size_t index);

  // Of each entry. Pages and weights by themselves: to look at a set takes two cache lines.
  std::vector<uintptr_t> pages_;  ///< address; 0: nobody's
  std::vector<uint64_t> weights_; ///< events, those of whoever was here before included
  std::vector<Entry> entries_;
  std::vector<uint32_t> order_; ///< for hottest()
  uint64_t waited_ns_ = 0;
  Hint<uint64_t> region_;
};

} // namespace hetmp::dsm
