#include "dsm/ahead/lent_pages.hpp"

#include <algorithm>

namespace hetmp::dsm {

void LentPages::lost(PageNumber first, uint32_t count) {
  if (!enabled_ || !lends_.get())
    return;
  for (PageNumber page = first; page != first + count && lent_.size() < most; ++page)
    if (may_come_unasked(plan_, page))
      lent_.push_back(page);
}

bool LentPages::ask_for_wanted(PageSource& source) {
  if (wanted_.get()) {
    wanted_.set(false);
    std::sort(lent_.begin(), lent_.end());
    lent_.erase(std::unique(lent_.begin(), lent_.end()), lent_.end());
    auto& to_ask = to_ask_.begin_again(); // those of the last time that are not back yet: threads will fault on them
    for (const PageNumber page : lent_)
      to_ask.push_back({page, true});
    lent_.clear();
  }
  if (to_ask_.all_asked())
    return false;
  if (lends_.get() || !source.all_readable()) { // a thread has gone there again, and may use them
    to_ask_.begin_again();
    return false;
  }
  return to_ask_.ask_for_some(source, [&source](const WantedPage& one) { return source.is_missing(one.page, false); });
}

} // namespace hetmp::dsm
