// Offered pages (push_memory.hpp) that the origin's threads write as soon as what the pages were offered for is done:
// the page of main's stack with a region's shared variables, which main's next call writes. The right to write them is
// asked for while main still waits for the others, or is still at work itself. Pure, of fixed size.
#pragma once

#include "base/check.hpp"
#include "dsm/ahead/tables/block_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

class WrittenAfter {
 public:
  static constexpr uint32_t enough = 2;  ///< a page is taken back once threads have waited for it so often
  static constexpr uint32_t period = 16; ///< and left alone once in so many times, to see whether they still do
  /// Where others have read a page again that was taken early, it is taken so many times at the end; then more often.
  static constexpr uint32_t first_rest = 8, longest_rest = 1024;

  /// A thread waits for the right to write the page.
  void waited_for(PageNumber page) { ++pages_.of(page).waits; }

  /// The origin's threads have come to the end, the others have not. Whether the page is to be taken from them.
  bool take_early(PageNumber page) {
    Page* const one = pages_.known(page);
    if (!one || one->waits < enough || one->rest != 0 || one->times + 1 == period)
      return false;
    one->was_early = true;
    return true;
  }
  /// Another node reads the page once more.
  void read_again(PageNumber page) {
    Page* const one = pages_.known(page);
    if (!one || !one->was_early)
      return;
    one->was_early = false;
    one->rest = one->next_rest;
    one->next_rest = std::min(2 * one->next_rest, longest_rest);
  }

  /// Nobody else needs the page any more. Whether it is to be taken, if that was not done.
  bool take(PageNumber page) {
    Page* const known = pages_.known(page);
    if (!known || known->waits < enough)
      return false;
    Page& one = *known;
    if (one.was_left_alone && one.waits == enough) { // and nobody has waited
      one = {};
      return false;
    }
    HETMP_CHECK(one.times < period && one.rest <= longest_rest);
    if (one.was_early)
      one.next_rest = first_rest;
    one.was_early = false;
    one.rest -= one.rest != 0;
    one.waits = enough;
    one.times = (one.times + 1) % period;
    one.was_left_alone = one.times == 0;
    return !one.was_left_alone;
  }

 private:
  struct Page {
    PageNumber number = 0;
    uint32_t waits = 0;
    uint32_t times = 0;              ///< it was taken, since it was left alone
    uint32_t rest = 0;               ///< times until it may be taken early,
    uint32_t next_rest = first_rest; ///< and after the next mistake
    bool was_left_alone = false;
    bool was_early = false; ///< it was taken early this time
  };

  BlockTable<Page, 64> pages_;
};

} // namespace hetmp::dsm
