// Pages that a stream of faults will want are asked for with the page a thread waits for.
#pragma once

#include "dsm/ahead/fault_streams.hpp"
#include "dsm/ahead/page_source.hpp"

namespace hetmp::dsm {

class VisitPrefetcher;

/// Of the service thread.
class StreamPrefetcher {
 public:
  explicit StreamPrefetcher(const AddressPlan& plan) : plan_(plan) {}

  /// Before the first fault.
  void enable(bool wanted) { wanted_ = wanted; }

  /// A thread has faulted on a page of which there is no copy here; `first`: no request for it was under way. What is
  /// fetched with it counts as fetched by the present visit.
  void faulted(PageNumber page, bool write, bool first, PageSource& source, VisitPrefetcher& visits);

 private:
  bool may_fetch(PageNumber page, PageNumber with, const PageSource& source) const;

  const AddressPlan& plan_;
  bool wanted_ = true;
  FaultStreams streams_;
};

} // namespace hetmp::dsm
