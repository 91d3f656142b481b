// What is remembered of blocks of pages, and whether blocks are worth asking for. Pure and bounded.
#pragma once

#include "dsm/ahead/tables/sparse_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

/// An entry for each block, or each page, by the last bits of its number: of several with the same place, the latest.
/// An entry has a `number`.
template <class Entry, size_t slots = 4096> class BlockTable {
 public:
  /// Begun anew if another one had its place.
  Entry& of(PageNumber number) {
    Entry& entry = entries_[size_t(number % slots)];
    if (entry.number != number) {
      entry = {};
      entry.number = number;
    }
    return entry;
  }
  /// Null: another one has its place.
  Entry* known(PageNumber number) {
    Entry* const entry = entries_.find(size_t(number % slots));
    return entry && entry->number == number ? entry : nullptr;
  }
  const Entry* known(PageNumber number) const { return const_cast<BlockTable*>(this)->known(number); }

 private:
  SparseTable<Entry, slots> entries_;
};

/// How many blocks were counted for asking for more, and how many against it.
class BlockCounts {
 public:
  void count_for() { count(for_); }
  void count_against() { count(against_); }
  uint32_t in_favour() const { return for_; }
  uint32_t against() const { return against_; }
  /// Of the blocks that are doubted, one of so many is asked for all the same.
  bool is_turn_of_doubted(uint32_t now_and_then) { return ++refused_ % now_and_then == 0; }

 private:
  static constexpr uint32_t remembered = 256; ///< blocks: what came before counts half, and less

  void count(uint32_t& blocks) {
    if (++blocks >= remembered)
      for_ /= 2, against_ /= 2;
  }

  uint32_t for_ = 0, against_ = 0, refused_ = 0; ///< blocks
};

} // namespace hetmp::dsm
