// What holds of a team whenever its primary looks at it, for assertions (base/check.hpp).
#pragma once

#include "runtime/team/node_team.hpp"

#include <algorithm>

namespace hetmp::runtime {

/// Nobody is inside: neither at its barrier nor on the way out, and no task of it is left. By its primary, before it
/// begins a region and when it has ended one.
inline bool is_left(const NodeTeam& team) {
  // relaxed: the threads have left by operations that their primary has acquired
  return team.arrived.load(std::memory_order_relaxed) == 0 && team.words.load(std::memory_order_relaxed) == 0 &&
         team.region_end.workers() == 0 && team.tasks.all_complete();
}

/// A region has been described, and its team has room for it; nobody has entered.
inline bool is_valid(const NodeTeam& team) {
  const TeamDescription& part = team.description;
  const bool numbered = part.local_threads != 0 && part.first_thread + part.local_threads <= part.threads &&
                        part.participants.contains(part.node) && part.participants.size() == part.nodes;
  // A team on one node has all of its threads there.
  const bool here = team.global || (part.local_threads == part.threads && (part.nodes == 1 || part.is_lent()));
  const bool has_room = part.local_threads <= team.member_capacity && part.local_threads <= team.tasks.count &&
                        part.local_threads <= team.reduction_data.size() &&
                        (team.seats.empty() || team.seats.size() == part.local_threads);
  const bool works = team.global || (team.working_threads != 0 && team.working_threads <= part.local_threads);
  const auto has_shares = [](const LoopBuffer& buffer) { return buffer.shares != nullptr; };
  return numbered && here && has_room && works && is_left(team) &&
         std::all_of(std::begin(team.loops), std::end(team.loops), has_shares);
}

} // namespace hetmp::runtime
