// Pages that are asked for one after the other, a few at a time: a thread's own fault waits for no more than these.
#pragma once

#include "base/check.hpp"
#include "dsm/ahead/page_source.hpp"
#include "dsm/ahead/wanted_page.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hetmp::dsm {

/// Of the service thread.
class PagesToAsk {
 public:
  explicit PagesToAsk(size_t most_on_their_way) : most_on_their_way_(most_on_their_way) {}

  /// Gives up what has not been asked for yet. The list, empty, for the caller to fill.
  std::vector<WantedPage>& begin_again() {
    pages_.clear();
    next_ = 0;
    return pages_;
  }
  bool all_asked() const { return next_ == pages_.size(); }

  /// As many as may be on their way. `still_wanted` of a page: it has not come by itself. True if it has asked for any.
  template <class StillWanted> bool ask_for_some(PageSource& source, StillWanted&& still_wanted) {
    std::erase_if(on_their_way_, [&source](PageNumber page) { return !source.is_asked_for(page); });
    bool asked = false;
    for (; next_ < pages_.size() && on_their_way_.size() < most_on_their_way_; ++next_) {
      const WantedPage& wanted = pages_[next_];
      if (source.is_asked_for(wanted.page) || !still_wanted(wanted))
        continue;
      source.ask(wanted.page, wanted.write);
      on_their_way_.push_back(wanted.page);
      asked = true;
    }
    HETMP_CHECK(on_their_way_.size() <= most_on_their_way_ && next_ <= pages_.size());
    source.send_asked();
    return asked;
  }

 private:
  const size_t most_on_their_way_;
  std::vector<WantedPage> pages_;
  size_t next_ = 0;
  std::vector<PageNumber> on_their_way_; ///< of those asked for; some may have come
};

} // namespace hetmp::dsm
