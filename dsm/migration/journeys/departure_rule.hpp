// When a thread that has come home departs again. Pure.
//
// A departure and the way back cost about as much as fetching a dozen pages. A thread that comes home soon, because it
// calls what is each process's own, gains nothing abroad; how soon it will come home nobody knows but from the last
// time. So after a stay that was worth its way it departs at once, and after others ever later.
#pragma once

#include "dsm/migration/journeys/travel.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

class DepartureRule {
 public:
  static constexpr int64_t soonest_ns = 50'000;
  static constexpr int64_t latest_ns = 1'000'000'000;
  static constexpr int64_t way_ns = 200'000;        ///< to another node and back, roughly
  static constexpr int64_t doubtful_ns = 2'000'000; ///< wait at least so long after a stay that was not worth it
  static constexpr int64_t between_tries = 50;      ///< times as long as a try has taken

  /// A journey begins; the thread may depart after so long, and if `restless`, again and again.
  void begin(int64_t delay_ns, bool restless = false) {
    restless_ = restless;
    delay_ns_ = std::clamp(delay_ns, soonest_ns, latest_ns);
    doubt_ns_ = std::min(delay_ns_, doubtful_ns);
    retry_ns_ = soonest_ns;
  }

  /// Whether a stay was that by which nobody was called home.
  static constexpr bool is_worth_its_way(int64_t abroad_ns, int64_t computed_ns) {
    return computed_ns >= abroad_ns / 2 && computed_ns >= 8 * way_ns;
  }

  /// Whether it is known that it should.
  bool departs_at_once() const { return delay_ns_ <= soonest_ns; }

  /// From the journey's beginning, or a homecoming, to the departure.
  int64_t delay_ns() const { return delay_ns_; }

  /// It could not leave just now, and to find that out took so long: of a deep stack, longer than many a wait. How long
  /// to wait until it is tried again, so that the thread gets on meanwhile.
  int64_t retry_ns(int64_t took_ns = 0) {
    constexpr int64_t longest = 2'000'000;
    const int64_t wait = std::max(retry_ns_, between_tries * took_ns);
    if (!restless_)
      retry_ns_ = std::min(2 * retry_ns_, longest);
    return wait;
  }

  /// `asked`: the thread had asked to leave, and learns by itself what is worth that; but for what was called home.
  void came_home(Homecoming why, int64_t abroad_ns, int64_t computed_ns, bool asked = false) {
    retry_ns_ = soonest_ns;
    if (restless_)
      return;
    const bool lost = why == Homecoming::Loses || why == Homecoming::Called;
    const bool was_worth_it = !lost && (asked || is_worth_its_way(abroad_ns, computed_ns));
    const int64_t longer = asked && why == Homecoming::Loses ? 2 : lost ? 8 : 4; // times as long
    doubt_ns_ = was_worth_it ? soonest_ns : std::clamp(longer * doubt_ns_, doubtful_ns, latest_ns);
    delay_ns_ = doubt_ns_;
  }

 private:
  bool restless_ = false;
  int64_t delay_ns_ = doubtful_ns;
  int64_t doubt_ns_ = doubtful_ns; ///< the same, but for what the journey's beginning has waited
  int64_t retry_ns_ = soonest_ns;
};

} // namespace hetmp::dsm
