// What a node remembers of its loops: the pages its threads had to fetch on a loop's last visit, so that the next one
// can ask for them at its beginning. Pure, bounded in memory, one caller at a time except where another is named.
//
// A page counts as touched when a thread faulted on it. Whether a page that was asked for ahead is touched at all
// cannot be seen, so now and then each page is left out: one that no thread then faults on is forgotten, and a loop
// that shows too many of those is given up for a while. A page that another node takes away in the same visit bounces,
// and fetching it ahead would make it bounce more: it is not asked for on the next visits.
#pragma once

#include "dsm/ahead/wanted_page.hpp"
#include "dsm/space/handed_over.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hetmp::dsm {

/// Which loop a node's threads are in, with a number that changes from visit to visit: one word, changed by them,
/// looked at by the service thread.
class VisitMark {
 public:
  static constexpr uint64_t loop_bits = 48;
  static constexpr uint64_t loop_of(uint64_t mark) { return mark & ((uint64_t(1) << loop_bits) - 1); }

  /// Any thread, at each of which the loop begins: false if another thread has begun this visit.
  bool begin(uint64_t loop) { return change(loop); }
  void end() { change(0); }
  uint64_t now() const { return mark_.get(); }

 private:
  bool change(uint64_t loop) {
    const uint64_t before = now();
    if (loop_of(before) == loop)
      return false;
    const uint64_t after = (((before >> loop_bits) + 1) << loop_bits) | loop;
    return mark_.change(before, after);
  }

  Hint<uint64_t> mark_;
};

class VisitMemory {
 public:
  using Loop = uint64_t;                     ///< the address a loop is begun from; 0 = none
  static constexpr size_t most_pages = 4096; ///< of one loop
  static constexpr size_t most_loops = 256;
  static constexpr uint32_t first_period = 8,
                            longest_period = 64; ///< visits from one leaving out of a page to the next
  static constexpr uint32_t visits_barred = 16;  ///< of a page that was taken away
  static constexpr uint32_t visits_idle = 4;     ///< in a row for which a page is kept that need not be fetched
  static constexpr uint32_t first_rest = 8, longest_rest = 1024; ///< visits for which a loop is given up

  /// The visit before is over, and one of `loop` begins. Appends the pages to fetch now to `wanted`, in the order in
  /// which threads wanted them. `needs(page, write)`: the node would have to fetch the page for such an access.
  template <class Needs> void begin(Loop loop, Needs&& needs, std::vector<WantedPage>& wanted) {
    finish();
    current_ = loop != 0 ? start(loop) : nullptr;
    if (!current_)
      return;
    for (size_t i = 0; i < current_->pages.size(); ++i)
      if (Page& page = current_->pages[i]; choose(page, i, needs(page.number, page.write)))
        wanted.push_back({page.number, page.write});
  }

  /// A thread faulted on the page, or a stream of its faults fetched it.
  void fetched(PageNumber page, bool write);
  /// Another node took the copy away.
  void lost(PageNumber page);

  /// Any thread: whether a visit of the loop has something to fetch, as far as the last one tells.
  bool worth_waking(Loop loop) const { return worth_waking_[place_of(loop)].get(); }

  /// Pages remembered of a loop.
  size_t pages_of(Loop loop) const;

 private:
  struct Page {
    PageNumber number;
    bool write;
    bool asked = false, left_out = false; ///< at the beginning of this visit
    bool met = false;                     ///< a thread has faulted on it in this visit
    bool taken = false;                   ///< asked for, and taken away in this visit
    uint8_t idle = 0;                     ///< visits in a row
    uint8_t barred = 0;                   ///< visits to come
  };
  struct Memory {
    std::vector<Page> pages; ///< in the order of their first faults
    std::unordered_map<PageNumber, uint32_t> index;
    uint64_t used = 0; ///< the number of its latest visit, of all loops
    uint32_t visits = 0;
    uint32_t period = first_period;
    uint32_t expected = 0, met = 0; ///< of the pages left out, since the last judgement
    uint32_t rest = 0;              ///< visits to come for which it is given up
    uint32_t next_rest = first_rest;

    /// Each page is there once, where the index says.
    bool valid() const {
      if (index.size() != pages.size() || pages.size() > most_pages)
        return false;
      for (size_t i = 0; i < pages.size(); ++i)
        if (const auto found = index.find(pages[i].number); found == index.end() || found->second != i)
          return false;
      return true;
    }
  };

  static size_t place_of(Loop loop) { return size_t((loop * 0x9e3779b97f4a7c15u) >> 54); }
  Memory* start(Loop loop);
  bool choose(Page& page, size_t index, bool needed);
  void finish();
  void judge(uint32_t asked, uint32_t taken);
  void forget_pages();
  static void give_up(Memory& memory);

  std::unordered_map<Loop, Memory> loops_;
  Memory* current_ = nullptr; ///< null: no visit, or one that is not remembered
  Loop current_loop_ = 0;
  uint64_t visits_ = 0;
  std::array<Hint<bool>, 1024> worth_waking_{}; ///< by place_of(): those that share one are woken once too often
};

} // namespace hetmp::dsm
