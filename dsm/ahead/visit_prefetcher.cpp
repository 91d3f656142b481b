#include "dsm/ahead/visit_prefetcher.hpp"

#include "base/check.hpp"

namespace hetmp::dsm {

/// Begins the visit that the node's threads have come to since the last look.
void VisitPrefetcher::look_at_mark(PageSource& source) {
  const uint64_t mark = mark_.now();
  if (mark == seen_)
    return;
  seen_ = mark;
  to_ask_.clear();
  next_to_ask_ = 0;
  const bool wanted = wanted_ && source.all_readable();
  const auto needs = [&source](PageNumber page, bool write) { return source.is_missing(page, write); };
  memory_.begin(wanted ? VisitMark::loop_of(mark) : 0, needs, to_ask_);
}

bool VisitPrefetcher::ask_for_remembered(PageSource& source) {
  look_at_mark(source);
  if (next_to_ask_ == to_ask_.size())
    return false;
  std::erase_if(on_their_way_, [&source](PageNumber page) { return !source.is_asked_for(page); });
  bool asked = false;
  while (next_to_ask_ < to_ask_.size() && on_their_way_.size() < most_on_their_way) {
    const VisitMemory::Wanted wanted = to_ask_[next_to_ask_++];
    if (source.is_asked_for(wanted.page))
      continue;
    source.ask(wanted.page, wanted.write);
    on_their_way_.push_back(wanted.page);
    asked = true;
  }
  HETMP_CHECK(on_their_way_.size() <= most_on_their_way && next_to_ask_ <= to_ask_.size());
  source.send_asked();
  return asked;
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
