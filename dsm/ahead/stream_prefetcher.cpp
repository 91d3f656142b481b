#include "dsm/ahead/stream_prefetcher.hpp"

#include "base/check.hpp"
#include "dsm/ahead/visit_prefetcher.hpp"

#include <algorithm>

namespace hetmp::dsm {
namespace {

/// What is fetched ahead lies near what is wanted: two series of neighbouring pages, or of a stride's.
constexpr size_t farthest_ahead = size_t(4) << 20;

} // namespace

/// To the protocol these are faults like any other, which may come at any time. Their answers come while the thread
/// still works on this page.
void StreamPrefetcher::faulted(PageNumber page, bool write, bool first, PageSource& source, VisitPrefetcher& visits) {
  if (!wanted_ || !source.all_readable())
    return;
  const PageSeries series = first ? streams_.fault(page, write) : streams_.fault_under_way(page, write);
  HETMP_CHECK(series.count <= FaultStreams::longest_series && series.stride != 0);
  for (uint32_t i = 0; i < series.count; ++i)
    if (may_fetch(series.page(i), page, source)) {
      source.ask(series.page(i), write);
      visits.fetched(series.page(i), write, source);
    }
  source.send_asked();
}

/// A page of the same kind of memory as the one a thread wants, of which this node has no copy.
bool StreamPrefetcher::may_fetch(PageNumber page, PageNumber with, const PageSource& source) const {
  if (page >= plan_.pages() || plan_.home_of(page) != plan_.home_of(with))
    return false;
  const uintptr_t address = plan_.address_of(page), wanted = plan_.address_of(with);
  const bool same_memory = plan_.in_slices(address) == plan_.in_slices(wanted) &&
                           std::max(address, wanted) - std::min(address, wanted) <= farthest_ahead;
  return same_memory && may_come_unasked(plan_, page) && source.is_missing(page, false) && !source.is_asked_for(page);
}

} // namespace hetmp::dsm
