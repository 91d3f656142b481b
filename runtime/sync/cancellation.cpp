#include "runtime/sync/cancellation.hpp"

#include "base/check.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/team/node_team.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

// Part of a word at a barrier.
constexpr uint64_t region_is_cancelled = uint64_t(1) << 56;
constexpr uint64_t somebody_left = uint64_t(1) << 57; ///< the loop or sections that end here, before their end

/// All threads meet and tell each other what is cancelled; `more` goes into the word. A region that is cancelled stays
/// so. relaxed: a thread brings what it knows, and the barrier makes it known to all.
uint64_t meet_and_tell(ImplicitTask& task, uint64_t more, const void* site = nullptr) {
  NodeTeam& team = *task.team;
  HETMP_CHECK(regions_may_be_cancelled && (more & region_is_cancelled) == 0);
  if (std::exchange(task.left_worksharing, false))
    more |= somebody_left;
  if (team.cancelled.region.load(std::memory_order_relaxed))
    more |= region_is_cancelled;
  const uint64_t word = meet(task, more, site);
  if ((word & region_is_cancelled) != 0) {
    team.cancelled.region.store(true, std::memory_order_relaxed);
    team.cancelled.out_of_step.store(true, std::memory_order_relaxed);
  }
  return word;
}

} // namespace

bool cancel_barrier(ImplicitTask& task, const void* site) {
  if (!regions_may_be_cancelled) {
    team_barrier(task, site);
    return false;
  }
  if (std::exchange(task.has_met_at_reduction, false)) // relaxed: this thread wrote there what it was told
    return task.team->cancelled.region.load(std::memory_order_relaxed);
  return (meet_and_tell(task, inside_region, site) & region_is_cancelled) != 0;
}

void reduction_barrier(ImplicitTask& task, const void* site) {
  task.has_met_at_reduction = (meet_and_tell(task, inside_region, site) & somebody_left) != 0;
}

void meet_at_end(ImplicitTask& task) {
  if (!regions_may_be_cancelled)
    return;
  while ((meet_and_tell(task, 0) & inside_region) != 0) {
  }
}

} // namespace hetmp::runtime
