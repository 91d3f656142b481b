#include "dsm/ahead/visit_prefetcher.hpp"

namespace hetmp::dsm {

/// Begins the visit that the node's threads have come to since the last look.
void VisitPrefetcher::look_at_mark(PageSource& source) {
  const uint64_t mark = mark_.now();
  if (mark == seen_)
    return;
  seen_ = mark;
  const bool wanted = wanted_ && source.all_readable();
  const auto needs = [&source](PageNumber page, bool write) { return source.is_missing(page, write); };
  memory_.begin(wanted ? VisitMark::loop_of(mark) : 0, needs, to_ask_.begin_again());
}

bool VisitPrefetcher::ask_for_remembered(PageSource& source) {
  look_at_mark(source);
  const auto still_wanted = [&source](const WantedPage& one) { return source.is_missing(one.page, one.write); };
  return !to_ask_.all_asked() && to_ask_.ask_for_some(source, still_wanted);
}

void VisitPrefetcher::fetched(PageNumber page, bool write, PageSource& source) {
  look_at_mark(source);
  if (may_come_unasked(plan_, page))
    memory_.fetched(page, write);
}

void VisitPrefetcher::lost(PageNumber first, uint32_t count, PageSource& source) {
  look_at_mark(source);
  for (uint32_t i = 0; i < count; ++i)
    memory_.lost(first + i);
}

} // namespace hetmp::dsm
