// Where fetching ahead for writing took from other nodes what was not written. Pure and bounded.
#pragma once

#include "dsm/ahead/tables/block_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

/// Of small blocks of pages. A block that was regretted is left alone for as many pages as would have been fetched,
/// each time for longer; a write to what was fetched there clears it.
class WriteDoubts {
 public:
  static constexpr PageNumber block_pages = 4;
  static constexpr uint32_t first_rest = 8 * block_pages, longest_rest = 1024 * block_pages; ///< in pages

  /// Whether the page may be fetched ahead for writing. To be asked once for each such page.
  bool allow(PageNumber page) {
    Block* const block = blocks_.known(page / block_pages);
    if (!block || block->rest == 0)
      return true;
    --block->rest;
    return false;
  }
  /// It was fetched for writing, and another node took it back unwritten.
  void regretted(PageNumber page) {
    Block& block = blocks_.of(page / block_pages);
    block.rest = block.next;
    block.next = std::min(2 * block.next, longest_rest);
  }
  /// It was fetched for writing, and written.
  void used(PageNumber page) {
    if (Block* const block = blocks_.known(page / block_pages))
      *block = {};
  }

 private:
  struct Block {
    PageNumber number = 0;
    uint32_t rest = 0;          ///< pages still to be left alone
    uint32_t next = first_rest; ///< after the next regret
  };

  BlockTable<Block> blocks_;
};

} // namespace hetmp::dsm
