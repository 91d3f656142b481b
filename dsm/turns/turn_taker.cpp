#include "dsm/turns/turn_taker.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace hetmp::dsm {

TurnTaker::Step TurnTaker::look(StormMeter& meter, Clock now, bool kept_back, OutsideWaits::View outside) {
  switch (state_) {
  case State::Calm:
    return look_for_storm(meter, now, outside);
  case State::Asked:
    return Step::None;
  case State::Turn:
    break;
  }
  if (is_over(meter, now, outside)) {
    state_ = State::Calm;
    storm_until_ = now + memory_ns;
    begin_window(meter, now, outside);
    return Step::GiveBack;
  }
  return may_let_go(meter, now, kept_back) ? Step::LetGo : Step::None;
}

void TurnTaker::begin_window(const StormMeter& meter, Clock now, OutsideWaits::View outside) {
  begun_ = now;
  waited_ = meter.waited_for_taken(now);
  window_ = {now, outside.begun};
}

TurnTaker::Step TurnTaker::look_for_storm(StormMeter& meter, Clock now, OutsideWaits::View outside) {
  const Clock passed = now - begun_;
  if (passed < window(now))
    return Step::None;
  const bool storm = meter.waited_for_taken(now) - waited_ >= passed * lanes_ / 2;
  const bool is_new = now >= storm_until_;
  if (is_new)
    meter.set_soon(StormMeter::soon_ns);
  if (storm && is_new) {
    const uint32_t meetings = window_.later(outside);
    storm_meetings_ = meetings < enough_meetings ? 0 : double(meetings) / double(passed);
    trial_ = {now, outside.begun};
  }
  begin_window(meter, now, outside);
  if (!storm || now < quiet_until_ || !turns_help(now, outside))
    return Step::None;
  state_ = State::Asked;
  return Step::Ask;
}

/// As far as anybody can tell.
bool TurnTaker::turns_help(Clock now, OutsideWaits::View outside) {
  const Clock passed = now - trial_.since;
  if (storm_meetings_ == 0 || passed < trial_ns)
    return true;
  const bool help = double(trial_.later(outside)) >= storm_meetings_ * double(passed);
  trial_ = {now, outside.begun};
  if (help) {
    next_quiet_ = quiet_ns;
    return true;
  }
  quiet_until_ = now + next_quiet_;
  next_quiet_ = std::min(2 * next_quiet_, most_quiet_ns);
  storm_until_ = now;
  return false;
}

TurnTaker::Clock TurnTaker::begin(StormMeter& meter, Clock now) {
  HETMP_CHECK(state_ == State::Asked);
  state_ = State::Turn;
  begun_ = now;
  waited_ = meter.waited(now);
  outside_ = {};
  kept_since_ = 0;
  meter.set_soon(StormMeter::soon_ns + longest_ns); // pages stay away for others' turns now
  return now + longest_ns;
}

bool TurnTaker::is_over(const StormMeter& meter, Clock now, OutsideWaits::View outside) {
  if (outside != outside_) {
    outside_ = outside;
    outside_since_ = now;
  }
  if (outside_.waiting != 0 && now - outside_since_ >= patience_ns)
    return true;
  const Clock passed = now - begun_;
  if (passed < shortest_ns)
    return false;
  const Clock waited = meter.waited(now) - waited_;
  return passed >= longest_ns || passed * lanes_ - waited >= computed_for_waited * waited;
}

bool TurnTaker::may_let_go(const StormMeter& meter, Clock now, bool kept_back) {
  if (!kept_back)
    kept_since_ = 0;
  else if (kept_since_ == 0)
    kept_since_ = now;
  if (kept_since_ == 0 || meter.is_waiting() ||
      now - std::max({kept_since_, meter.last_fault(), begun_}) < undisturbed_ns)
    return false;
  kept_since_ = now;
  return true;
}

std::optional<TurnTaker::Clock> TurnTaker::next_look(const StormMeter& meter, Clock now) const {
  switch (state_) {
  case State::Calm:
    if (meter.is_waiting())
      return std::max(begun_ + window(now), now);
    return {};
  case State::Asked:
    return {};
  case State::Turn:
    return now + look_again_ns;
  }
  return {};
}

} // namespace hetmp::dsm
