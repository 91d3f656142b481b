#include "dsm/ahead/lent_pages.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void LentPages::lost(PageNumber first, uint32_t count) {
  if (!lends_.get())
    return;
  for (PageNumber page = first; page != first + count && lent_.size() < most; ++page)
    if (may_come_unasked(plan_, page))
      lent_.push_back(page);
}

bool LentPages::ask_for_wanted(PageSource& source) {
  if (wanted_.get()) {
    wanted_.set(false);
    to_ask_.swap(lent_); // those of the last time that are not back yet are given up: threads will fault on them
    lent_.clear();
    std::sort(to_ask_.begin(), to_ask_.end());
    to_ask_.erase(std::unique(to_ask_.begin(), to_ask_.end()), to_ask_.end());
    next_to_ask_ = 0;
  }
  if (next_to_ask_ == to_ask_.size())
    return false;
  if (lends_.get() || !source.all_readable()) { // a thread has gone there again, and may use them
    to_ask_.clear();
    next_to_ask_ = 0;
    return false;
  }
  std::erase_if(on_their_way_, [&source](PageNumber page) { return !source.is_asked_for(page); });
  bool asked = false;
  for (; next_to_ask_ < to_ask_.size() && on_their_way_.size() < most_on_their_way; ++next_to_ask_) {
    const PageNumber page = to_ask_[next_to_ask_];
    if (source.is_asked_for(page) || !source.is_missing(page, false))
      continue;
    source.ask(page, true);
    on_their_way_.push_back(page);
    asked = true;
  }
  HETMP_CHECK(on_their_way_.size() <= most_on_their_way && next_to_ask_ <= to_ask_.size());
  source.send_asked();
  return asked;
}

} // namespace hetmp::dsm
