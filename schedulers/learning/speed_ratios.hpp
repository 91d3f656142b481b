// Core speed ratios of a team's nodes (the paper, sections 3.2 and 3.4).
#pragma once

#include "schedulers/learning/decision.hpp"

#include <vector>

namespace hetmp::schedulers {

/// Nodes, times and rates that differ by less count as equal: a probe cannot tell so little from noise, and
/// splitting by noise makes the work of equal nodes uneven on every visit. Truly unequal nodes lose at most
/// half of this.
inline constexpr double smallest_difference = 1.05;

/// A time per iteration such that quotients and sums of any two are finite and positive, whatever was
/// measured.
constexpr double finite_us(double us) {
  constexpr double least = 1e-9;
  constexpr double greatest = 1e18;
  return us > least ? (us < greatest ? us : greatest) : least;
}

/// How many times faster than the slowest node's a thread of each node is: slowest = 1, a node without
/// threads 0. From elapsed time: a node that gets less of its CPUs is slower; and from CPU time where a quota limits
/// it, whichever is longer. A node that has not been measured counts as the slowest, so that it gets the least work.
/// `given` (see CoreSpeeds) replaces what was measured if it is not empty and leaves a node of the team above 0.
std::vector<double> core_speed_ratios(const std::vector<NodeKnowledge>& nodes, const std::vector<double>& given);

/// Divides by the least ratio above 0. False if there is none.
bool make_slowest_one(std::vector<double>& speed);

/// Speeds that lie within `difference` of the slowest among them become one speed, their mean; the
/// slowest groups first. No group is wider than that difference, so speeds that rise in small steps do not
/// all become equal.
void level_small_differences(std::vector<double>& speed, double difference = smallest_difference);

/// Where loops would have equal shares if nobody measured: less is not worth moving their borders, and the pages there.
inline constexpr double smallest_unsaid_difference = 1.2;

} // namespace hetmp::schedulers
