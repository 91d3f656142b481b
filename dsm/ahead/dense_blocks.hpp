// Which pages will be wanted where threads read here and there, as in a table that they look things up in: no stream
// leads from one fault to the next, but a block of which several pages were read is one of which most will be. (The
// prefetcher of NVIDIA's Unified Memory counts by blocks as well: Ganguly et al., ISCA 2019.) Pure, bounded, and cheap:
// it is asked on every fault.
#pragma once

#include "dsm/ahead/page_series.hpp"
#include "dsm/ahead/tables/block_table.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

/// To fetch a block costs about as much as `first_enough` faults, so that many are waited for; fewer where other blocks
/// nearby were fetched. A node that writes to such a block has to ask for each page of which others have copies, so
/// they should not be there for nothing. Nobody can see whether a page is read. Therefore one page of the block is left
/// out: if a thread faults on that, the block is read as a whole, and comes as soon again when its copies are lost. A
/// block whose copies are lost before has to show twice as many faults the next time, and where half of the blocks are
/// like that few are fetched.
class DenseBlocks {
 public:
  static constexpr PageNumber block_pages = 64;
  static constexpr uint32_t first_enough = 4;     ///< pages of a block that were read
  static constexpr uint32_t read_enough = 2;      ///< likewise, once the page left out was read
  static constexpr PageNumber neighbourhood = 16; ///< blocks
  static constexpr uint32_t some = 2, many = 4;   ///< of these that were fetched: two pages are enough, or one
  static constexpr uint32_t trusted = 3;        ///< so many times a block comes whole after its page left out was read,
  static constexpr uint32_t trusted_beside = 8; ///< and so many blocks around it
  static constexpr uint32_t doubted = 8;        ///< blocks that may be lost before others are doubted
  static constexpr uint32_t now_and_then = 32;  ///< of the blocks that are doubted, one of so many is fetched

  /// A thread has faulted on the page to read it, and no stream leads there. The pages to fetch: none, or its block,
  /// but for the page left out. `is_missing` tells of a page that it is not here.
  template <class IsMissing> PageSeries read(PageNumber page, IsMissing&& is_missing) {
    const PageNumber number = page / block_pages, first = number * block_pages, last = first + block_pages - 1;
    Block& block = blocks_.of(number);
    Neighbourhood& around = neighbourhoods_.of(number / neighbourhood);
    if (block.fetched && block.left_out == page) {
      block.left_out = none;
      block.trust = trusted;
      around.trust = trusted_beside;
      block.enough = read_enough;
      return {};
    }
    const bool is_doubtful = block.enough > first_enough;
    if (++block.faults < (is_doubtful ? block.enough : std::min(block.enough, around.enough())) || !allow())
      return {};
    if (!block.fetched)
      counts_.count_for(), ++around.fetched;
    block.faults = 0;
    block.fetched = true;
    if (uint32_t& trust = block.trust > 0 ? block.trust : around.trust; trust > 0)
      --trust, block.left_out = none;
    else
      block.left_out = page != last && is_missing(last) ? last : page != first && is_missing(first) ? first : nobody;
    const bool without_first = block.left_out == first, without_last = block.left_out == last;
    return {.first = first + without_first, .stride = 1, .count = uint32_t(block_pages) - without_first - without_last};
  }

  /// Another node has taken copies of these pages away.
  void lost(PageNumber first, uint32_t count) {
    for (PageNumber number = first / block_pages; number * block_pages < first + count; ++number) {
      Block* const known = blocks_.known(number);
      if (!known || !known->fetched)
        continue;
      Block& block = *known;
      Neighbourhood& around = neighbourhoods_.of(number / neighbourhood);
      block.faults = 0;
      block.fetched = false;
      if (block.left_out == none) {
        around.fetched -= around.fetched > 0;
        continue;
      }
      block.enough = std::min(2 * std::max(block.enough, first_enough), uint32_t(block_pages));
      around.fetched = around.trust = 0;
      counts_.count_against();
    }
  }

 private:
  static constexpr PageNumber none = ~PageNumber(0), nobody = none - 1; ///< left out; `nobody`: it could not be

  struct Block {
    PageNumber number = 0;
    uint32_t faults = 0;            ///< since it was fetched
    uint32_t enough = first_enough; ///< of these
    uint32_t trust = 0;             ///< so many times it comes whole
    PageNumber left_out = nobody;   ///< of the last time; `none`: that was read, or was not needed
    bool fetched = false;           ///< and nothing of it lost since
  };
  struct Neighbourhood {
    PageNumber number = 0;
    uint32_t fetched = 0; ///< blocks, since one was lost
    uint32_t trust = 0;   ///< so many more blocks come whole
    uint32_t enough() const { return fetched >= many ? 1 : fetched >= some ? 2 : first_enough; }
  };

  bool allow() {
    return counts_.against() <= counts_.in_favour() / 2 + doubted || counts_.is_turn_of_doubted(now_and_then);
  }

  BlockTable<Block> blocks_;
  BlockTable<Neighbourhood> neighbourhoods_;
  BlockCounts counts_; ///< for: fetched; against: lost
};

} // namespace hetmp::dsm
