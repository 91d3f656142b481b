// Pages that a stream of faults will want, or many faults in one place, are asked for with the page a thread waits for.
#pragma once

#include "dsm/ahead/dense_blocks.hpp"
#include "dsm/ahead/fault_streams.hpp"
#include "dsm/ahead/migratory_pages.hpp"
#include "dsm/ahead/page_source.hpp"
#include "dsm/ahead/wanted_page.hpp"
#include "dsm/ahead/write_doubts.hpp"
#include "dsm/ahead/written_blocks.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace hetmp::dsm {

class VisitPrefetcher;

/// Of the service thread.
class StreamPrefetcher {
 public:
  explicit StreamPrefetcher(const AddressPlan& plan) : plan_(plan) {}

  /// Before the first fault.
  void enable(bool wanted) { wanted_ = wanted; }

  /// A thread has faulted on the page; `first`: no request for it was under way. The pages to fetch with it, with
  /// fetch(); `write`: the page itself will be written.
  PageSeries faulted(PageNumber page, Access access, uint32_t thread, bool first, const PageSource& source);
  /// A witness was written, of the pages that were fetched. Likewise.
  PageSeries used(PageNumber page, const PageSource& source);
  /// Asks for what is missing of the series that came of this page's fault. It counts as fetched by the present visit.
  void fetch(const PageSeries& series, PageNumber with, PageSource& source, VisitPrefetcher& visits);
  /// A copy of the page is about to be asked for, to be read. True if it is better asked for to be written, as a
  /// witness.
  bool comes_for_writing(PageNumber page);
  /// A witness was taken by another node before it was written.
  void regretted(PageNumber page);
  /// Any thread. Whether the program is executed by this node's threads alone, for now: then what lies between the
  /// steps of a stream comes as well.
  void compute_alone(bool begins) { alone_.store(begins, std::memory_order_relaxed); } // a hint
  /// Other nodes have copies of these pages now, which this node could write.
  void shared(PageNumber first, uint32_t count) {
    written_.shared(first, count);
    migratory_.shared(first, count);
  }
  /// Other nodes have taken the copies away.
  void lost(PageNumber first, uint32_t count) {
    dense_.lost(first, count);
    migratory_.lost(first, count);
  }

 private:
  bool is_near(PageNumber page, PageNumber with, int64_t stride) const;
  PageSeries blocks_around(PageNumber page);
  bool is_behind_blocks(PageNumber page) const { return page - behind_blocks_ < DenseBlocks::block_pages; }

  static constexpr uint32_t most_blocks_at_once = 4;

  const AddressPlan& plan_;
  bool wanted_ = true;
  std::atomic<bool> alone_{false}; ///< relaxed: a hint
  FaultStreams streams_;
  DenseBlocks dense_;     ///< for what is no stream
  WrittenBlocks written_; ///< likewise
  WriteDoubts doubts_;
  MigratoryPages migratory_;
  uint32_t blocks_at_once_ = 1;    ///< of those that came last while this node computed alone,
  PageNumber behind_blocks_ = 0;   ///< and the page behind them
  std::vector<WantedPage> to_ask_; ///< of fetch(), kept for its memory
};

} // namespace hetmp::dsm
