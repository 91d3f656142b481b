// Which copies will be written where a thread writes here and there, as in a tree that is built anew: no stream leads
// from one fault to the next, but a block of which several pages were written is one of which most will be. Pure,
// bounded, and cheap: it is asked on every upgrade.
#pragma once

#include "dsm/ahead/page_series.hpp"
#include "dsm/ahead/tables/block_table.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

/// The right to write all copies of a block costs about as much as two upgrades. Where they are not written, the nodes
/// that have copies have lost them for nothing. Nobody can see whether a page is written; one page of those that were
/// asked for is a witness (witnesses.hpp) and tells. So a block that was used is asked for after half as many upgrades
/// the next time, and one that was regretted after four times as many: those come that are used two times out of three.
/// Where most are regretted, few are asked for.
class WrittenBlocks {
 public:
  static constexpr PageNumber block_pages = 64;
  static constexpr uint32_t first_enough = 16; ///< pages of a block that were written, before others read any of it
  static constexpr uint32_t least_enough = 2;  ///< likewise, where what was asked for was always written
  static constexpr uint32_t doubted = 8;       ///< so many more may be regretted than are used, before all are doubted
  static constexpr uint32_t now_and_then = 32; ///< of the blocks that are doubted, one of so many is asked for

  /// A thread has waited to write the page, of which a copy is here, and no stream leads there. The copies to ask for:
  /// none, or those of its block.
  PageSeries upgraded(PageNumber page) {
    const PageNumber number = page / block_pages;
    Block& block = blocks_.of(number);
    if (++block.faults < block.enough || !allow())
      return {};
    block.faults = 0;
    return {.first = number * block_pages, .stride = 1, .count = block_pages, .write = true, .only_copies = true};
  }

  /// Other nodes have copies again of pages that this node could write: what is written next is counted anew.
  void shared(PageNumber first, uint32_t count) {
    for (PageNumber number = first / block_pages; number * block_pages < first + count; ++number)
      if (Block* const block = blocks_.known(number))
        block->faults = 0;
  }

  /// The witness of these pages was written.
  void used(PageNumber page) {
    if (Block* const block = blocks_.known(page / block_pages))
      block->enough = std::max(block->enough / 2, least_enough), block->faults = 0, counts_.count_for();
  }

  /// Another node took the witness before it was written.
  void regretted(PageNumber page) {
    if (Block* const block = blocks_.known(page / block_pages))
      block->enough = std::min(4 * block->enough, uint32_t(block_pages)), counts_.count_against();
  }

 private:
  struct Block {
    PageNumber number = 0;
    uint32_t faults = 0; ///< since it was asked for, or read elsewhere
    uint32_t enough = first_enough;
  };

  bool allow() {
    return counts_.against() <= counts_.in_favour() + doubted || counts_.is_turn_of_doubted(now_and_then);
  }

  BlockTable<Block> blocks_;
  BlockCounts counts_; ///< for: used; against: regretted
};

} // namespace hetmp::dsm
