#include "runtime/regions/region_plan.hpp"

#include "base/check.hpp"
#include "runtime/global/team_description.hpp"
#include "schedulers/arithmetic/deal.hpp"

#include <algorithm>
#include <numeric>

namespace hetmp::runtime {

StaysHere why_it_stays(const RegionFacts& facts) {
  if (facts.cpus.size() <= 1)
    return StaysHere::OneNode;
  if (facts.threads <= 1)
    return StaysHere::OneThread;
  if (facts.executed_by_caller)
    return StaysHere::ExecutedByCaller;
  if (facts.in_active_region)
    return StaysHere::InActiveRegion;
  if (facts.arguments > most_forwarded_arguments)
    return StaysHere::TooManyArguments;
  if (facts.met_on != 0)
    return StaysHere::MetElsewhere;
  if (!facts.nodes_can_meet)
    return StaysHere::NoGlobalLevel;
  if (!facts.frame_is_reachable)
    return StaysHere::UnreachableFrame;
  return facts.holds_locks ? StaysHere::LocksAreHeld : StaysHere::No;
}

RegionPlan stay_here(uint32_t threads, StaysHere reason) { return {{}, threads, 0, reason}; }

RegionPlan lend(uint32_t threads, uint32_t to) {
  HETMP_CHECK(to != 0 && threads > 1); // a region of one thread would gain nothing that could be told
  RegionPlan plan = stay_here(threads, StaysHere::No);
  plan.lent_to = to;
  return plan;
}

RegionPlan deal_region(const RegionFacts& facts, NodeSet needed) {
  std::vector<uint32_t> dealt = schedulers::deal_threads(facts.threads, facts.cpus, needed);
  HETMP_CHECK_COSTLY(std::accumulate(dealt.begin(), dealt.end(), 0u) == facts.threads); // each is on one node
  if (dealt[0] != facts.threads)
    return {std::move(dealt), facts.threads, 0, StaysHere::No};
  const uint32_t useful = std::min(facts.threads, facts.cpus[0]);
  HETMP_CHECK(useful != 0);
  if (facts.dynamic)
    return stay_here(useful, StaysHere::NeedsNoOther);
  return {{}, facts.threads, facts.threads - useful, StaysHere::NeedsNoOther};
}

RegionPlan with_fewer_workers(const RegionPlan& plan, uint32_t local_threads) {
  HETMP_CHECK(local_threads != 0 && local_threads <= plan.local_threads() && !plan.is_lent());
  if (plan.spreads())
    return stay_here(plan.threads, StaysHere::NoWorkers);
  return {{}, local_threads, std::min(plan.idle, local_threads - 1), plan.stays};
}

} // namespace hetmp::runtime
