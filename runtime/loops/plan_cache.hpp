// Decisions that stand for further visits of a loop, kept on each node so that nobody needs to ask for them
// (Assignment::repeats).
//
// All nodes of a team get the same answer, and meet the loop in the same order in all teams of the same root and shape,
// so they use the answer up alike without talking about it. That is why the root and the shape of the team belong to
// the key.
#pragma once

#include "runtime/global/team_description.hpp"
#include "schedulers/policies/policy.hpp"

#include <optional>

namespace hetmp::runtime::plan_cache {

/// The assignment of this visit, if an earlier answer stands for it; counts the visit. A visit with another number of
/// iterations ends what was kept.
std::optional<schedulers::Assignment> take(const TeamDescription& part, const void* call_site, uint64_t trips);

/// An answer that stands for assignment.repeats visits more.
void keep(const TeamDescription& part, const void* call_site, uint64_t trips, const schedulers::Assignment& assignment);

/// Nothing stands any more for the loops of such teams.
void forget(const TeamDescription& part);

/// What a visit that take() has answered took the node's threads.
void add_times(const TeamDescription& part, const void* call_site, const schedulers::NodeMeasurement& times);

/// The sum of those since the last call: by the node, when it asks again.
schedulers::NodeMeasurement take_times(const TeamDescription& part, const void* call_site);

/// Visits of the loop for which nobody asked; counted on the origin.
uint64_t visits_taken(const void* call_site);

} // namespace hetmp::runtime::plan_cache
