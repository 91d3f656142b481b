// Pages that a loop's threads had to fetch on its last visit are asked for at the beginning of the next, a few at a
// time.
#pragma once

#include "dsm/ahead/pages_to_ask.hpp"
#include "dsm/ahead/visit_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

/// Of the service thread, except where another is named.
class VisitPrefetcher {
 public:
  explicit VisitPrefetcher(const AddressPlan& plan) : plan_(plan) {}

  /// Before the first fault.
  void enable(bool wanted) { wanted_ = wanted; }

  /// Any thread: see Fabric. True if the service thread had better be woken, which then begins to fetch.
  bool begin(uint64_t loop) { return mark_.begin(loop) && memory_.worth_waking(VisitMark::loop_of(loop)); }
  void end() { mark_.end(); }

  /// Asks for some of the remembered pages as if threads had faulted on them. True if it has asked for any.
  bool ask_for_remembered(PageSource& source);

  /// A thread has faulted on the page, or a stream of faults fetched it.
  void fetched(PageNumber page, bool write, PageSource& source);
  /// Another node has taken the copies away.
  void lost(PageNumber first, uint32_t count, PageSource& source);

 private:
  void look_at_mark(PageSource& source);

  static constexpr size_t most_on_their_way = 16;

  const AddressPlan& plan_;
  bool wanted_ = true;
  VisitMark mark_;
  uint64_t seen_ = 0; ///< the mark at the last look
  VisitMemory memory_;
  PagesToAsk to_ask_{most_on_their_way};
};

} // namespace hetmp::dsm
