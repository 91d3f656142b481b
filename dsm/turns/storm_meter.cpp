#include "dsm/turns/storm_meter.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void StormMeter::taken(PageNumber first, uint32_t count, What what, Clock now) {
  for (PageNumber page = first; page != first + count; ++page) {
    Taken& last = taken_[page % slots];
    const bool known = last.page == page;
    last = {page, now, what == What::RightToWrite || (known && last.written), known ? last.credit : uint8_t(0)};
  }
}

void StormMeter::faulted(PageNumber page, Clock now) {
  last_fault_ = now;
  if (std::any_of(waiting_.begin(), waiting_.end(), [page](const Waiting& one) { return one.page == page; }))
    return; // another thread
  const bool back = was_taken(page, now);
  waiting_.push_back({page, back});
  all_.change(1, now);
  if (!back)
    return;
  back_.change(1, now);
  taken_[page % slots].credit = fetched_unseen;
}

void StormMeter::fetch_back(Clock now, std::vector<Wanted>& wanted) {
  for (Taken& one : taken_)
    if (one.credit != 0 && is_soon(one, now)) {
      --one.credit;
      wanted.push_back({one.page, one.written});
    }
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.page < b.page; });
}

void StormMeter::came(PageNumber first, uint32_t count, Clock now) {
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.page - first >= count)
      return false;
    all_.change(-1, now);
    all_.total += besides_ns;
    if (one.back) {
      back_.change(-1, now);
      back_.total += besides_ns;
    }
    return true;
  });
  HETMP_CHECK(all_.pages == int64_t(waiting_.size()) && back_.pages <= all_.pages);
}

} // namespace hetmp::dsm
