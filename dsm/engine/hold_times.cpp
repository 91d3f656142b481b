#include "dsm/engine/hold_times.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace hetmp::dsm {
namespace {

bool wants_to_write(protocol::MessageType type) {
  return type == protocol::MessageType::WriteRequest || type == protocol::MessageType::FetchExclusive;
}

} // namespace

void HoldTimes::came(PageNumber page, Clock now, uint32_t pages, Clock missed) {
  HETMP_CHECK(pages != 0 && missed >= 0);
  forget_old(now);
  HETMP_CHECK(held_.empty() || held_.back().since <= now); // the clock never goes back
  held_.push_back({now, now + std::clamp(2 * missed, hold_ns, most_hold_ns), page, pages});
}

void HoldTimes::forget_old(Clock now) {
  while (!held_.empty() && held_.front().until <= now)
    held_.pop_front();
}

/// When the hold of the message's page ends for the node that wants it; 0 if it is not held.
HoldTimes::Clock HoldTimes::held_until(const protocol::Message& message, Clock now) {
  forget_old(now);
  for (auto it = held_.rbegin(); it != held_.rend(); ++it)
    if (message.page - it->first < it->pages) {
      const bool waits_for_longer = wants_to_write(message.type) && message.requester > node_;
      const Clock until = waits_for_longer ? it->until : it->since + hold_ns;
      return until > now ? until : 0;
    }
  return 0;
}

bool HoldTimes::passes(uint32_t from, const protocol::Message& message, Clock now, bool asked_for) {
  Clock due = 0;
  for (const Later& later : later_)
    if (!later.resume && later.from == from && later.message.page == message.page)
      due = std::max(due, later.due);
  if (due == 0 && !protocol::may_take_copy(message.type))
    return true;
  due = std::max(due, held_until(message, now));
  if (kept_until_ > now && !asked_for && protocol::may_take_copy(message.type))
    due = std::max(due, kept_until_);
  if (due == 0)
    return true;
  keep({due, from, message, false});
  return false;
}

void HoldTimes::resume_later(const protocol::Message& message, Clock now) {
  keep({std::max(now + hold_ns, kept_until_), 0, message, true});
}

void HoldTimes::keep_all(Clock until) { kept_until_ = until; }

void HoldTimes::keep_no_more(Clock now) {
  make_due([this](const Later& later) { return later.due >= kept_until_; }, now);
  kept_until_ = 0;
}

void HoldTimes::let_go(PageNumber page, Clock now) {
  if (keeps_back())
    make_due([&](const Later& later) { return later.due >= kept_until_ && later.message.page == page; }, now);
}

void HoldTimes::let_go_oldest(Clock now) {
  HETMP_CHECK(keeps_back());
  const auto oldest =
      std::find_if(later_.begin(), later_.end(), [this](const Later& later) { return later.due >= kept_until_; });
  let_go(oldest->message.page, now);
}

/// In the order in which they came; but for pages that have just come.
template <class Which> void HoldTimes::make_due(Which&& which, Clock now) {
  const auto first = std::stable_partition(later_.begin(), later_.end(), std::not_fn(which));
  const std::vector<Later> going(first, later_.end());
  later_.erase(first, later_.end());
  for (Later later : going) {
    later.due = std::max(now, held_until(later.message, now));
    keep(later);
  }
}

/// Behind everything that is due at the same time: what came first goes first.
void HoldTimes::keep(const Later& later) {
  const auto place = std::upper_bound(later_.begin(), later_.end(), later.due,
                                      [](Clock due, const Later& other) { return due < other.due; });
  later_.insert(place, later);
  HETMP_CHECK_COSTLY(
      std::is_sorted(later_.begin(), later_.end(), [](const Later& a, const Later& b) { return a.due < b.due; }));
}

std::optional<HoldTimes::Later> HoldTimes::take_earlier(uint32_t from, PageNumber page) {
  const auto it = std::find_if(later_.begin(), later_.end(), [&](const Later& later) {
    return !later.resume && later.from == from && later.message.page == page;
  });
  if (it == later_.end())
    return {};
  const Later earlier = *it;
  later_.erase(it);
  return earlier;
}

std::optional<HoldTimes::Later> HoldTimes::take_due(Clock now) {
  if (later_.empty() || later_.front().due > now)
    return {};
  const Later due = later_.front();
  HETMP_CHECK(due.due <= now && due.due != 0);
  later_.pop_front();
  return due;
}

} // namespace hetmp::dsm
