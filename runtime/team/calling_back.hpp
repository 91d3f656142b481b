// A worker that leaves a region and a thread that has tasks for it there: which of the two was first.
#pragma once

#include "base/check.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {

/// Whether the worker leaves the team's region or has left it; true for the first who asks: the worker itself, which
/// then stays, or a thread of the region, which then calls it back. What it left before says nothing, so its primary
/// need not reset that at each start.
inline bool take_leaving(Thread& worker, const NodeTeam& team) {
  uint64_t region = team.region_end.region();
  HETMP_CHECK(region != 0 && team.local_threads() > 1);
  // acq_rel: pairs with the store in leave_region(), after which the caller may write to the worker's record.
  return worker.leaving.compare_exchange_strong(region, 0, std::memory_order_acq_rel);
}

} // namespace hetmp::runtime
