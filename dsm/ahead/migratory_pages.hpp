// Pages that a node reads and then writes, time after time, while other nodes do the same: the pages at the border of
// two nodes' parts of an array, counters, elements that are updated in place. Protocols call such data migratory. To
// read them takes one exchange and to write them a second one; fetched for writing at once they cost one. (Cox and
// Fowler; Stenstroem, Brorsson and Sandberg, both ISCA 1993, where the directory finds them out. Here each node does so
// for itself.) Pure and bounded.
#pragma once

#include "base/check.hpp"
#include "dsm/ahead/tables/block_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

/// A page is migratory from the time on at which its copies, so many one after the other, were written before another
/// node took them. A page that is fetched for writing because of that is a witness (witnesses.hpp): if another node
/// takes it unwritten, what was learned is forgotten, and it takes twice as many copies to learn it again.
class MigratoryPages {
 public:
  static constexpr uint8_t first_enough = 2;  ///< copies
  static constexpr uint8_t most_enough = 128; ///< likewise, where it turned out to be wrong again and again

  bool is_migratory(PageNumber page) const {
    const Page* const one = pages_.known(page);
    return one && one->written >= one->enough;
  }

  /// A copy is asked for, to be read.
  void read(PageNumber page) { pages_.of(page).is_read = true; }
  /// A thread waits to write the copy.
  void upgraded(PageNumber page) {
    if (Page* const one = pages_.known(page); one && one->is_read) {
      one->is_read = false;
      one->written = std::min<uint8_t>(one->written + 1, most_enough);
    }
  }
  /// The right to write was here, whoever asked for it: what becomes of the copy says nothing about how it came.
  void shared(PageNumber first, uint32_t count) {
    for (PageNumber page = first; page != first + count; ++page)
      if (Page* const one = pages_.known(page))
        one->is_read = false;
  }
  /// Another node has taken the copies.
  void lost(PageNumber first, uint32_t count) {
    for (PageNumber page = first; page != first + count; ++page)
      if (Page* const one = pages_.known(page); one && one->is_read) {
        one->is_read = false;
        one->written = 0;
      }
  }

  /// It was fetched for writing, and written.
  void used(PageNumber page) {
    if (Page* const one = pages_.known(page))
      one->enough = std::max<uint8_t>(one->enough / 2, first_enough);
  }
  /// It was fetched for writing, and another node took it unwritten.
  void regretted(PageNumber page) {
    if (Page* const one = pages_.known(page)) {
      HETMP_CHECK(one->enough >= first_enough && one->enough <= most_enough);
      one->written = 0;
      one->enough = std::min<uint8_t>(one->enough, most_enough / 2) * 2;
    }
  }

 private:
  struct Page {
    PageNumber number = 0;
    uint8_t written = 0; ///< copies that were written, since one was not
    uint8_t enough = first_enough;
    bool is_read = false; ///< the present copy came to be read, and no thread has waited to write it
  };

  BlockTable<Page, 16384> pages_;
};

} // namespace hetmp::dsm
