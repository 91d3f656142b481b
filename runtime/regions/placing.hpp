// Whether a region that could run on several nodes does: HETMP_PLACEMENT, and under `auto` what the program's regions
// were seen to gain and to lose (schedulers/placement). Asked once for each region, by region_plan's edge in fork.cpp.
#pragma once

#include "runtime/regions/region_plan.hpp"
#include "schedulers/placement/region_placer.hpp"

namespace hetmp::runtime {
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::runtime::placing {

/// No: it runs on several nodes; else why it does not. `self` meets the region, of which nothing else speaks against
/// that (why_it_stays()).
StaysHere decide(const Thread& self, const RegionFacts& facts, const void* microtask);

/// The region that `self` has met last is over. To be told of each region for which decide() was asked.
void region_is_over(const Thread& self, const schedulers::VisitSeen& seen);

/// What is known of the program's regions; null where nobody learns it. When no team is at work.
const schedulers::RegionPlacer* knowledge();

} // namespace hetmp::runtime::placing
