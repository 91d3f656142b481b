// How much of its time a node's threads wait for pages, and how much of that for pages that they had and that another
// node has taken: nodes that write the same pages take them from each other, and do little else in a storm of faults.
//
// Pure but for the time, which it is told: CLOCK_MONOTONIC, nanoseconds. One caller at a time.
#pragma once

#include "dsm/ahead/tables/sparse_table.hpp"
#include "dsm/space/address_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

class StormMeter {
 public:
  using Clock = int64_t;

  /// What a fault takes besides the wait that is seen here: the trap, and that the thread and the service thread take
  /// turns on a CPU.
  static constexpr Clock besides_ns = 8'000;
  /// What is taken and wanted back later than that was not taken too early.
  static constexpr Clock soon_ns = 100'000'000;
  /// A thread that wants to write so soon what was taken was still using it; so was one that waited for another page
  /// meanwhile, as long as that took no longer than the second one. Who reads may be waiting for what others write.
  static constexpr Clock at_once_ns = 100'000, between_ns = 2'000'000;

  /// From now on back within this time counts as soon.
  void set_soon(Clock soon) { soon_ = soon; }

  enum class What : uint8_t { Copy, RightToWrite };
  /// Another node has taken it. What may be written loses the right to write before the copy.
  void taken(PageNumber first, uint32_t count, What what, Clock now);
  /// Whether the page was taken, soon ago, when this node might write it.
  bool was_written(PageNumber page, Clock now) const {
    const Taken* const taken = taken_soon(page, now);
    return taken && taken->written;
  }
  enum class Wants : uint8_t { Read, Write };
  /// A thread waits for the page, or for the right to write it.
  void faulted(PageNumber page, Clock now, Wants wants = Wants::Read);
  /// Pages came, or the right to write them: nobody waits for them any more.
  void came(PageNumber first, uint32_t count, Clock now);

  struct Wanted {
    PageNumber page;
    bool write;
  };
  /// Pages that were taken and that threads will probably want back, in the order of their numbers: to fetch all of
  /// them now. A page is one of them so many times after a thread has waited for it to come back, then not before a
  /// thread does so again: nobody can see whether a page that comes without being waited for is used.
  void fetch_back(Clock now, std::vector<Wanted>& wanted);
  static constexpr uint8_t fetched_unseen = 7;

  /// For how long the page, or the right to write it, is waited for by a thread that was still using it when it was
  /// taken. 0: none is.
  Clock missed_for(PageNumber page, Clock now) const;

  bool is_waiting() const { return !waiting_.empty(); }
  /// For so many pages.
  size_t waited_for() const { return waiting_.size(); }
  Clock last_fault() const { return last_fault_; }
  /// Time that was waited until now, and went into these faults besides, summed over pages.
  Clock waited(Clock now) const { return all_.until(now); }
  /// That part of it which was waited for pages that had been taken.
  Clock waited_for_taken(Clock now) const { return back_.until(now); }

 private:
  static constexpr size_t slots = 4096;

  struct Taken {
    PageNumber page = 0;
    Clock when = 0; ///< 0: no page
    bool written = false;
    bool wanted = false; ///< back, since then
    bool in_use = false; ///< at once, to write it
    uint8_t credit = 0;  ///< to be fetched so many times before a thread waits for it again
  };
  struct Waiting {
    PageNumber page;
    bool back; ///< it had been taken
    Clock since;
  };
  /// Time passes as many times at once as pages are waited for.
  struct Sum {
    Clock total = 0, since = 0;
    int64_t pages = 0;
    Clock until(Clock now) const { return total + pages * (now - since); }
    void change(int64_t by, Clock now) {
      total = until(now);
      since = now;
      pages += by;
    }
  };

  static size_t place_of(PageNumber page) { return size_t(page % slots); }
  bool is_at_once(const Taken& taken, Clock now) const {
    return now - taken.when <= at_once_ns || (now - last_came_ <= at_once_ns && now - taken.when <= between_ns);
  }
  bool is_soon(const Taken& taken, Clock now) const { return taken.when != 0 && now - taken.when <= soon_; }
  /// Null: the page was not taken, or not soon ago.
  Taken* taken_soon(PageNumber page, Clock now) {
    Taken* const taken = taken_.find(place_of(page));
    return taken && taken->page == page && is_soon(*taken, now) ? taken : nullptr;
  }
  const Taken* taken_soon(PageNumber page, Clock now) const {
    return const_cast<StormMeter*>(this)->taken_soon(page, now);
  }

  SparseTable<Taken, slots> taken_; ///< by the last bits of the page's number: the last one of each
  std::vector<Waiting> waiting_;
  Sum all_, back_;
  Clock soon_ = soon_ns;
  Clock last_fault_ = 0, last_came_ = 0;
};

} // namespace hetmp::dsm
