// What a thread may lose abroad on a journey, stay by stay. Pure.
//
// A stay ends when it has lost what it was granted: the time it waited for pages, and what these may cost yet that it
// has fetched, less what it has computed. Often most of that is the latter, and the pages are where the next stay wants
// them. So in a region that lasts, one that has lost all is followed by two shorter ones, which lose little if that is
// not so. After these, a stay has to be worth its way: it may lose clearly more than the one before. If nearly all that
// was fetched were copies, which nobody has to take back, the next one goes on with them as soon as it may lose as much
// as a short one: a table that is read everywhere comes piece by piece.
#pragma once

#include "base/growing_allowance.hpp"
#include "dsm/migration/journeys/travel.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hetmp::dsm {

/// Times are microseconds since the journey began.
class JourneyAllowance {
 public:
  static constexpr uint32_t most_follow_ups = 2;
  static constexpr double follow_up_share = 0.25; ///< of what the stay might lose that is followed
  static constexpr double more = 1.5;             ///< times as much, for a stay after those
  static constexpr double copies_share = 0.3;     ///< of the loss: pages that cost less are copies, most of them

  void begin(const GrowingAllowance& in_all) {
    in_all_ = in_all;
    lost_us_ = granted_us_ = followed_us_ = follow_up_us_ = 0;
    follow_ups_ = 0;
    has_lost_all_ = brought_copies_ = false;
  }

  /// What a stay may lose that begins now.
  double grant(double now_us) {
    granted_us_ = std::max(in_all_.at(now_us) - lost_us_, follow_up_us_);
    return granted_us_;
  }

  /// It has lost so much, less than 0: gained; `pages_us` of it are what the pages that it has fetched may cost yet.
  void came_home(Homecoming why, double lost_us, double pages_us, double now_us) {
    lost_us_ = std::max(0.0, lost_us_ + lost_us);
    has_lost_all_ = why == Homecoming::Loses;
    brought_copies_ = pages_us <= copies_share * lost_us;
    const bool was_follow_up = std::exchange(follow_up_us_, 0) != 0;
    if (!has_lost_all_ || now_us < in_all_.later.after_us)
      return;
    if (!was_follow_up && granted_us_ > followed_us_) {
      follow_ups_ = 0;
      followed_us_ = granted_us_;
    }
    if (follow_ups_ < most_follow_ups) {
      ++follow_ups_;
      follow_up_us_ = follow_up_share * followed_us_;
    }
  }

  /// When the next stay may begin at the earliest; infinite: never.
  double departs_at(double now_us) const {
    if (follow_up_us_ != 0)
      return now_us;
    double wanted_us = 1;
    if (has_lost_all_)
      wanted_us = brought_copies_ && followed_us_ != 0 ? follow_up_share * followed_us_
                                                       : more * std::max(granted_us_, followed_us_);
    return std::max(now_us, in_all_.when(lost_us_ + wanted_us));
  }

 private:
  GrowingAllowance in_all_;
  double lost_us_ = 0;
  double granted_us_ = 0;   ///< to the last stay
  double followed_us_ = 0;  ///< to the last one that was no follow-up
  double follow_up_us_ = 0; ///< to the next stay at least; 0: that is no follow-up
  uint32_t follow_ups_ = 0;
  bool has_lost_all_ = false;   ///< the last stay
  bool brought_copies_ = false; ///< nearly nothing else, likewise
};

} // namespace hetmp::dsm
