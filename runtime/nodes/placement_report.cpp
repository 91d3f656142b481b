#include "runtime/nodes/placement_report.hpp"

#include "perf/report/report.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

using perf::in_digits;
using perf::in_time;
using schedulers::PlacedBecause;
using schedulers::RegionPlacer;
using schedulers::TravelLedger;
using schedulers::UsualTime;

double in_microseconds(const UsualTime& usual) { return usual.known() ? usual.mean_us() : -1; }

/// A visit's time on several nodes in those at home; 0: not known.
double slowdown_of(const RegionPlacer::Region& region) {
  return region.slowdown.known() ? region.slowdown.mean_us() : region.worst_slowdown;
}

std::string why_it_gains(const RegionPlacer::Region& region) {
  const double slowdown = slowdown_of(region);
  return slowdown > 0 && slowdown < 1 ? in_digits(1 / slowdown) + " times as fast"
                                      : "faster together with what lies between regions";
}

std::string why_it_lost(const RegionPlacer::Region& region) {
  const double slowdown = slowdown_of(region);
  const std::string who =
      region.lent_visits == region.spread_visits && region.lent_visits != 0 ? "one other node" : "several nodes";
  const std::string lost = who + (slowdown > 1 ? " took " + in_digits(slowdown) + " times as long"
                                               : " lost together with what lies between regions");
  return lost + "; to be tried again when the run takes " + in_time(region.excluded_until_us);
}

std::string why_no_budget(const RegionPlacer& placer, double now_us) {
  const RegionPlacer::Refusal& refusal = placer.last_refusal();
  const double left_us = std::max(placer.budget_left_us(now_us, refusal.there), 0.0);
  const std::string could_cost = "a trial could cost " + in_time(refusal.worst_us);
  if (refusal.worst_us > left_us)
    return could_cost + ", the budget has " + in_time(left_us);
  if (refusal.worst_us > refusal.spent_us)
    return could_cost + ", and its regions had lasted " + in_time(refusal.spent_us);
  return "nothing speaks against a trial, which was still to come";
}

std::string why_there(const RegionPlacer& placer, const RegionPlacer::Region& region, double now_us) {
  const schedulers::PlacementRules& rules = placer.rules();
  switch (placer.why(region, now_us)) {
  case PlacedBecause::Unknown:
    return "its usual time is known after " + std::to_string(rules.visits_to_know) + " visits and " +
           in_time(rules.judged_us);
  case PlacedBecause::Changes:
    return "its visits have each another amount of work, or ever less, so a gain could not be told";
  case PlacedBecause::TooShort:
    return "a visit takes " + in_time(region.home.mean_us()) + ", and nodes that meet are worth it from " +
           in_time(rules.shortest_visit_us) + " on";
  case PlacedBecause::Synchronises:
    return std::to_string(region.exchanges) + " barriers, loops and locks a visit would each be a message";
  case PlacedBecause::NoBudget:
    return why_no_budget(placer, now_us);
  case PlacedBecause::TooLittle:
    return "regions that could gain are " + in_digits(100 * placer.last_refusal().share) +
           " % of the run since they began, and a trial needs " + in_digits(100 * rules.least_share) + " %";
  case PlacedBecause::Lost:
    return why_it_lost(region);
  case PlacedBecause::Trial:
    return "a trial was under way";
  case PlacedBecause::Recalled:
    return "it gained in an earlier run, which this one is still to confirm";
  case PlacedBecause::Gains:
    return why_it_gains(region);
  }
  return {};
}

perf::PlacedReason in_short(PlacedBecause because) {
  using perf::PlacedReason;
  switch (because) {
  case PlacedBecause::Unknown:
    return PlacedReason::Unknown;
  case PlacedBecause::Changes:
    return PlacedReason::Changes;
  case PlacedBecause::TooShort:
    return PlacedReason::TooShort;
  case PlacedBecause::Synchronises:
    return PlacedReason::Synchronises;
  case PlacedBecause::NoBudget:
    return PlacedReason::NoBudget;
  case PlacedBecause::TooLittle:
    return PlacedReason::TooLittle;
  case PlacedBecause::Lost:
    return PlacedReason::Lost;
  case PlacedBecause::Trial:
  case PlacedBecause::Recalled:
    return PlacedReason::Trial;
  case PlacedBecause::Gains:
    return PlacedReason::Gains;
  }
  return PlacedReason::Other;
}

perf::OtherReason in_short(StaysHere reason) {
  switch (reason) {
  case StaysHere::HasThreadVariables:
    return perf::OtherReason::ThreadVariables;
  case StaysHere::FitsHere:
    return perf::OtherReason::FitsOrigin;
  case StaysHere::AskedFor:
  case StaysHere::No:
    return perf::OtherReason::AskedFor;
  default:
    return perf::OtherReason::Other;
  }
}

/// Of a region that placement did not learn about.
const char* why_there(StaysHere reason, RegionChoice::Kind choice) {
  switch (reason) {
  case StaysHere::No:
    return choice == RegionChoice::Kind::Auto
               ? "on the nodes that their loops need, as OMP_SCHEDULE, HETMP_LOOPS or HETMP_CSR asks"
               : "on the nodes that their loops need, as HETMP_PLACEMENT asks";
  case StaysHere::OneNode:
  case StaysHere::OneThread:
    return "at home: one thread, or one node";
  case StaysHere::ExecutedByCaller:
    return "at home: the program begins and ends them by two calls, and executes a part in between";
  case StaysHere::InActiveRegion:
    return "at home: another region is around them";
  case StaysHere::TooManyArguments:
    return "at home: they share more variables than a message holds";
  case StaysHere::MetElsewhere:
    return "on the node that met them: another one than the origin";
  case StaysHere::NoGlobalLevel:
    return "at home: nodes cannot meet";
  case StaysHere::UnreachableFrame:
    return "at home: begun by threads that the program made itself, whose stacks other nodes cannot read";
  case StaysHere::NeedsNoOther:
    return "at home: their loops need no other node";
  case StaysHere::AskedFor:
    return "at home, as HETMP_PLACEMENT asks";
  case StaysHere::HasThreadVariables:
    return "at home: the program has thread-local variables, which belong to the origin's threads";
  case StaysHere::HasProcessState:
    return "at home: the program has set a C++ locale, a handler or the like, which only the origin has";
  case StaysHere::FitsHere:
    return "at home: they have no more threads than the origin has CPUs, or another thread than main begins them";
  case StaysHere::PaysHere:
    return "at home: several nodes do not pay";
  case StaysHere::NoWorkers:
    return "at home: the system refuses threads";
  case StaysHere::LocksAreHeld:
    return "at home: a lock was held when they began";
  }
  return "";
}

std::string in_words(const RegionChoice& choice) {
  switch (choice.kind) {
  case RegionChoice::Kind::Auto:
    return "auto";
  case RegionChoice::Kind::Origin:
    return "origin";
  case RegionChoice::Kind::All:
    return "all";
  case RegionChoice::Kind::Lent:
    return "lent";
  case RegionChoice::Kind::Random:
    return "random:" + std::to_string(choice.seed);
  case RegionChoice::Kind::Journeys:
    return "journeys:" + std::to_string(choice.seed);
  }
  return {};
}

/// Nothing if they are the kernel's.
std::string on_turns(const placing::Knowledge& known, uint64_t microtask) {
  const auto turns = known.turns_us.find(microtask);
  return turns == known.turns_us.end()
             ? ""
             : "; at home its threads wait for each other, and share CPUs in turns of " + in_time(turns->second);
}

perf::PlacedRegion record_of(uint64_t microtask, const RegionPlacer::Region& region, const placing::Knowledge& known) {
  perf::PlacedRegion record;
  record.address = microtask;
  record.home_visits = region.home_visits;
  record.spread_visits = region.spread_visits;
  record.lent_visits = region.lent_visits;
  record.home_us = in_microseconds(region.home);
  record.spread_us = in_microseconds(region.spread);
  record.total_us = region.home_us + region.spread_us;
  record.spread = region.kept || region.tried;
  if (record.spread && known.placer.away() == schedulers::Site::OtherNode)
    record.lent_to = known.lends_to;
  record.because = why_there(known.placer, region, known.now_us);
  record.because += on_turns(known, microtask);
  record.reason = in_short(known.placer.why(region, known.now_us));
  return record;
}

void add_stays(perf::PlacedRegion& record, const TravelLedger::Region& region) {
  record.stays = region.stays;
  record.elsewhere_us = region.computed_us;
  record.gained_us = region.gained_us;
}

/// Of a region that is no candidate for other nodes, but whose threads travel.
perf::PlacedRegion record_of_traveller(uint64_t microtask, const TravelLedger::Region& region,
                                       const placing::Knowledge& known) {
  perf::PlacedRegion record;
  record.address = microtask;
  record.home_visits = region.all_visits;
  record.total_us = region.spent_us;
  record.because = "its threads go elsewhere for a while" + on_turns(known, microtask);
  add_stays(record, region);
  return record;
}

} // namespace

perf::PlacementRecord placement_record(const placing::Knowledge& known, const RegionChoice& choice) {
  perf::PlacementRecord record;
  record.asked_for = in_words(choice);
  record.run_us = known.now_us;
  record.trials = known.placer.trials();
  record.lost_us = known.placer.lost_us();
  if (choice.kind != RegionChoice::Kind::All && choice.kind != RegionChoice::Kind::Origin)
    record.no_journeys = known.no_journeys;
  record.budget_left_us = known.placer.budget_left_us(known.now_us);
  for (size_t reason = 0; reason < reasons; ++reason)
    if (known.others[reason] != 0)
      record.others.push_back(
          {why_there(StaysHere(reason), choice.kind), known.others[reason], in_short(StaysHere(reason))});
  for (const auto& [microtask, region] : known.placer.regions()) {
    record.regions.push_back(record_of(microtask, region, known));
    if (const auto travels = known.travels.find(microtask); travels != known.travels.end())
      add_stays(record.regions.back(), travels->second);
  }
  for (const auto& [microtask, region] : known.travels)
    if (region.stays != 0 && !known.placer.regions().contains(microtask))
      record.regions.push_back(record_of_traveller(microtask, region, known));
  const auto takes_longer = [](const perf::PlacedRegion& a, const perf::PlacedRegion& b) {
    return a.total_us > b.total_us;
  };
  std::stable_sort(record.regions.begin(), record.regions.end(), takes_longer);
  return record;
}

} // namespace hetmp::runtime
