#include "dsm/turns/storm_meter.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

void StormMeter::taken(PageNumber first, uint32_t count, What what, Clock now) {
  for (PageNumber page = first; page != first + count; ++page) {
    Taken& last = taken_[place_of(page)];
    const bool known = last.page == page;
    last = {page,  now,   what == What::RightToWrite || (known && last.written),
            false, false, known ? last.credit : uint8_t(0)};
  }
}

void StormMeter::faulted(PageNumber page, Clock now, Wants wants) {
  last_fault_ = now;
  if (std::any_of(waiting_.begin(), waiting_.end(), [page](const Waiting& one) { return one.page == page; }))
    return; // another thread
  Taken* const taken = taken_soon(page, now);
  waiting_.push_back({page, taken != nullptr, now});
  all_.change(1, now);
  if (!taken)
    return;
  back_.change(1, now);
  taken->credit = fetched_unseen;
  taken->in_use = taken->in_use || (!taken->wanted && wants == Wants::Write && is_at_once(*taken, now));
  taken->wanted = true;
}

StormMeter::Clock StormMeter::missed_for(PageNumber page, Clock now) const {
  const Taken* const taken = taken_soon(page, now);
  if (!taken || !taken->in_use)
    return 0;
  const auto waiting =
      std::find_if(waiting_.begin(), waiting_.end(), [page](const Waiting& one) { return one.page == page; });
  return waiting == waiting_.end() ? 0 : now - waiting->since;
}

void StormMeter::fetch_back(Clock now, std::vector<Wanted>& wanted) {
  taken_.for_each([&](Taken& one) {
    if (one.credit != 0 && is_soon(one, now)) {
      --one.credit;
      wanted.push_back({one.page, one.written});
    }
  });
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.page < b.page; });
}

void StormMeter::came(PageNumber first, uint32_t count, Clock now) {
  last_came_ = now;
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
