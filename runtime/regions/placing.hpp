// Whether a region that could run on several nodes does: HETMP_PLACEMENT, and under `auto` what the program's regions
// were seen to gain and to lose (schedulers/placement). Asked once for each region, by region_plan's edge in fork.cpp.
#pragma once

#include "runtime/regions/construct.hpp"
#include "runtime/regions/region_plan.hpp"
#include "schedulers/placement/region_placer.hpp"
#include "schedulers/placement/travel_ledger.hpp"

#include <array>
#include <map>
#include <optional>

namespace hetmp::runtime {
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::runtime::placing {

/// Microseconds since the program began.
double now_us();

/// What journeys of the main thread's region, which begins now, are to know of trials.
struct Trials {
  double budget_taken_us; ///< of experiments, so far, and what they may take yet
  bool tell;              ///< of the region what can be told
};
Trials trials_beside(uint64_t region, double now_us);

/// Where a region runs.
struct Choice {
  StaysHere stays;      ///< No: on other nodes; else why it does not
  bool is_lent = false; ///< then: on one other node alone (regions/lending.hpp), else on all
};
/// `self` meets the region, of which nothing else speaks against several nodes (why_it_stays()).
Choice decide(const Thread& self, const RegionFacts& facts, const Construct& construct);

/// When decide() was asked for the main thread's region in hand; now, if it did not depend on what was learned.
double met_us();

/// The region that `self` has met last is over, since `over_us` if the caller knows. To be told of each region for
/// which decide() was asked.
void region_is_over(const Thread& self, schedulers::VisitSeen seen, std::optional<double> over_us);

/// An outermost region was met of which `reason`, a fact, decides.
void count_visit(StaysHere reason);

/// A copy, for a report.
struct Knowledge {
  schedulers::RegionPlacer placer;        ///< the regions of which something is learned, by their microtasks
  std::map<uint64_t, const void*> idents; ///< of those, where the compiler tells one: an ident_t
  std::array<uint64_t, reasons> others{}; ///< visits of all other outermost regions, by the reason
  double now_us = 0;                      ///< since the program began
  std::map<uint64_t, schedulers::TravelLedger::Region> travels; ///< of regions at home, by their microtasks
  uint32_t lends_to = 0;                                        ///< the node that has what is lent
  std::string no_journeys;             ///< why threads of such regions do not travel; empty: they may
  std::map<uint64_t, double> turns_us; ///< of threads that share CPUs, in regions where they are not the kernel's
};
/// By any thread, at any time.
Knowledge knowledge();

/// What earlier runs have taught, by microtasks, with the same quota. Before the first region.
void recall(schedulers::PlacementLessons lessons);
/// What this run teaches. By any thread, at any time.
schedulers::PlacementLessons lessons();

} // namespace hetmp::runtime::placing
