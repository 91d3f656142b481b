// Whole pages of a heap that nobody uses: where they are, and which of them still have memory.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hetmp::dsm {

/// Neighbours are merged. Not for several threads at once.
class FreeExtents {
 public:
  struct Extent {
    uintptr_t begin = 0;
    size_t bytes = 0;
    size_t written = 0; ///< of these, at most: neither never used, nor given back to the system since;
    size_t kept = 0;    ///< of those, what could be given back
    Segment range() const { return {begin, begin + bytes}; }
    /// The part that begins there; which of its bytes are written nobody knows.
    Extent part(uintptr_t at, size_t length) const {
      return {at, length, std::min(written, length), std::min(kept, length)};
    }
  };

  void clear() { *this = {}; }
  void put(Extent extent);
  /// The smallest one that has so many bytes; it is no longer free.
  std::optional<Extent> take(size_t bytes);
  /// So many bytes from there on, if all of them are free; whatever is free behind them stays so.
  bool take_at(uintptr_t begin, size_t bytes);
  /// In all of them.
  size_t kept() const { return kept_; }
  /// The range that has been put longest ago of those of which something is kept; from now on nothing of it is. To be
  /// given back; was_given_back() if that could be. If `kept()` is not 0.
  Segment next_to_give_back();
  void was_given_back(Segment range) { by_address_.at(range.begin).written = 0; }
  /// The extents lie apart, no two touch, all below `end`; all indices have the same.
  bool valid(uintptr_t end) const;

 private:
  struct Entry {
    size_t bytes, written, kept;
    uint64_t age; ///< its key in by_age_; 0: it is not there
  };
  using Entries = std::map<uintptr_t, Entry>;
  Extent erase(Entries::iterator entry);

  Entries by_address_;
  std::set<std::pair<size_t, uintptr_t>> by_size_;
  std::map<uint64_t, uintptr_t> by_age_; ///< those of which something is kept, by the number of their put()
  uint64_t puts_ = 0;
  size_t kept_ = 0;
};

} // namespace hetmp::dsm
