// What is counted of this node's pages, and what reports may ask. Without a report it costs a few numbers.
#pragma once

#include "dsm/engine/page_statistics.hpp"
#include "dsm/engine/user_faults.hpp"
#include "dsm/fabric.hpp"
#include "dsm/space/handed_over.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class PageObserver {
 public:
  static constexpr size_t most_fault_events = size_t(1) << 15;

  /// Before there is a service thread: keep statistics of the pages.
  void watch_pages();
  /// Likewise, and each fault for a timeline.
  void watch_faults();

  /// Any thread: see PageStatistics.
  void enter_region(uint64_t region) {
    if (statistics_)
      statistics_->enter_region(region);
  }
  /// Any thread.
  void read_counters(FaultCounters* counters) const;

  /// A thread waits for the page, or for the right to write it.
  void faulted(const PageFault& fault);
  /// Pages are there from this address on, or the right to write them is.
  void arrived(uintptr_t address, uint32_t pages, bool writable);
  /// Whether threads wait for pages from now on, however many and for whichever.
  void waiting(bool somebody, int64_t now);
  bool anybody_waits() const { return waited_since_ != 0; }
  /// While nobody did, the service thread was busy with pages for so long.
  void served(int64_t ns) { served_ns_.add(uint64_t(ns)); }
  /// A message about pages has come from another node.
  void heard() { messages_.add(1); }
  /// Content of pages has come.
  void received(uint64_t pages) { pages_received_.add(pages); }
  /// Pages have come from other nodes for writing, or the right to write them has.
  void taken(uint64_t pages) { pages_taken_.add(pages); }
  /// Another node has taken the copies of the pages from this address on.
  void lost(uintptr_t address, uint32_t pages);

  /// The statistics of the most interesting pages; returns how many. Only with statistics are there any.
  size_t read_pages(PageRecord* records, size_t most, uint64_t* waited_ns);
  /// The first faults, and how many more there were.
  const std::vector<FaultEvent>& fault_events(uint64_t* dropped) const {
    *dropped = events_dropped_;
    return events_;
  }

 private:
  void note_arrival(uintptr_t page, bool writable, int64_t now);

  Tally read_misses_, write_misses_, write_upgrades_, invalidations_, messages_, pages_received_, pages_taken_,
      waited_ns_, served_ns_;
  int64_t waited_since_ = 0;                   ///< 0: nobody waits
  std::unique_ptr<PageStatistics> statistics_; ///< null unless somebody wants to know
  std::vector<FaultEvent> events_;             ///< room for most_fault_events, or none
  uint64_t events_dropped_ = 0;
};

} // namespace hetmp::dsm
