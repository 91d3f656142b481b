// Which of the pages that are fetched ahead for writing are left write-protected although this node may write them.
// Nobody can see whether a page was written; of a witness one can: its first write faults, which costs a moment of this
// node's service thread and no message, or another node takes it first. What it tells is taken to be true of the pages
// that were fetched with it.
//
// Pure and bounded. A witness that is forgotten is a page that faults once without need.
#pragma once

#include "dsm/ahead/tables/sparse_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <cstddef>

namespace hetmp::dsm {

class Witnesses {
 public:
  void add(PageNumber page) { pages_[place_of(page)].page = page; }
  bool has(PageNumber page) const {
    const Witness* const witness = pages_.find(place_of(page));
    return witness && witness->page == page;
  }
  /// It is no witness any more. False if it was none.
  bool remove(PageNumber page) {
    if (!has(page))
      return false;
    pages_[place_of(page)].page = none;
    return true;
  }

 private:
  static constexpr size_t slots = 4096;
  static constexpr PageNumber none = ~PageNumber(0);

  struct Witness {
    PageNumber page = none;
  };
  static size_t place_of(PageNumber page) { return size_t(page % slots); }

  SparseTable<Witness, slots> pages_; ///< by the last bits of their numbers: the last one of each
};

} // namespace hetmp::dsm
