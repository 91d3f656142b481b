// Who begins regions on this node, and the facts that their plans are made of.
#include "runtime/regions/fork.hpp"

#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/standard_output.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/lending.hpp"
#include "runtime/regions/placing.hpp"
#include "runtime/regions/region.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/sync/program_locks.hpp"
#include "runtime/team/late_members.hpp"
#include "runtime/wait/fresh_page.hpp"

#include <optional>
#include <utility>

namespace hetmp::runtime {
namespace {

/// Also where a target region is between: levels begin anew inside it.
bool is_inside_active_region(const ImplicitTask& task) {
  const ImplicitTask* at = &task;
  while (at && at->active_level == 0)
    at = at->parent;
  return at != nullptr;
}

RegionFacts facts_of(const Thread& self, uint32_t threads, const Construct& construct, bool open) {
  RegionFacts facts;
  facts.threads = threads;
  facts.arguments = construct.count;
  facts.dynamic = self.task->icvs.dynamic;
  facts.executed_by_caller = open;
  facts.in_active_region = is_inside_active_region(*self.task);
  facts.met_on = self.node;
  facts.nodes_can_meet = global_level() != nullptr;
  facts.frame_is_reachable = stack_is_reachable();
  facts.holds_locks = program_locks.keep_region_here();
  facts.cpus = layout().cpu_counts();
  return facts;
}

RegionPlan choose_nodes(const Thread& self, uint32_t threads, const Construct& construct, bool open) {
  const RegionFacts facts = facts_of(self, threads, construct, open);
  const StaysHere reason = why_it_stays(facts);
  if (reason != StaysHere::No) {
    if (!facts.in_active_region)
      placing::count_visit(reason);
    return stay_here(threads, reason);
  }
  const placing::Choice choice = placing::decide(self, facts, construct);
  if (choice.stays != StaysHere::No)
    return stay_here(threads, choice.stays);
  if (choice.is_lent)
    return lend(threads, node_to_lend_to(facts.cpus));
  return deal_region(facts, nodes_for_region(construct.microtask)); // which counts the teams that ask
}

/// Of a program that has several nodes. A plan that brings threads to others has the program's locks in a form for
/// that, until came_back().
__attribute__((noinline, cold)) RegionPlan plan_among_nodes(const Thread& self, uint32_t threads,
                                                            const Construct& construct, bool open) {
  RegionPlan plan = choose_nodes(self, threads, construct, open);
  if (!several_processes())
    return plan;
  if (plan.stays_here()) {
    program_locks.stay_at_home();
  } else if (!program_locks.spread()) {
    plan = stay_here(threads, StaysHere::LocksAreHeld);
    placing::count_visit(plan.stays);
  }
  return plan;
}

/// What plan_among_nodes() has begun is over.
__attribute__((noinline, cold)) void came_back() {
  if (several_processes())
    program_locks.came_back();
}

/// The primary's crew is as large as the plan says, which has become smaller if the system refuses threads: at most
/// twice, from several nodes to this one, and to what this one can have.
inline __attribute__((always_inline)) RegionPlan plan_with_crew(Thread& self, uint32_t threads,
                                                                const Construct& construct, bool open) {
  RegionPlan plan = layout().nodes() == 1 ? RegionPlan{{}, threads, 0, StaysHere::OneNode}
                                          : plan_among_nodes(self, threads, construct, open);
  if (plan.is_lent())
    return plan;
  resize_crew(self, plan.local_threads() - 1);
  while (self.crew.size() + 1 < plan.local_threads()) {
    if (plan.spreads())
      came_back();
    plan = with_fewer_workers(plan, uint32_t(self.crew.size()) + 1);
    resize_crew(self, plan.local_threads() - 1);
  }
  return plan;
}

/// Of main's regions on node 0 of several processes: members that node 0 has no CPU for.
__attribute__((noinline, cold)) uint32_t late_members(const Thread& self, const RegionPlan& plan,
                                                      const Construct& construct) {
  if (construct.observed) // each of its implicit tasks is a thread of its own
    return 0;
  const bool is_outermost_of_main = self.executes_main && self.task->level == 0;
  if (!several_processes() || !plan.stays_here() || !is_outermost_of_main)
    return 0;
  return members_to_begin_late(plan.threads, uint32_t(layout().cpus[0].size()), construct.microtask);
}

/// Of a region on one of several nodes: how its members begin, and whether they stay.
__attribute__((noinline, cold)) void prepare_to_stay(const Thread& self, RegionPlan& plan, const Construct& construct) {
  if (!construct.observed) // a thread that is away could not tell a tool what it does
    travelling::begin_region(self, construct.microtask, plan);
  // Whoever is to depart at once has to begin.
  plan.late = plan.travels && travelling::departs_at_once() ? 0 : late_members(self, plan, construct);
}

/// To a tool, if there is one: the construct is met. `requested`: the clause's threads; 0: there is none.
ompt::RegionRecord* tell_begin(uint32_t requested, uint32_t threads, Invoker invoke) {
  const int invoker = invoke == invoke_microtask ? ompt::invoked_by_runtime : ompt::invoked_by_program;
  return ompt::region_begins(requested != 0 ? requested : threads, invoker | ompt::is_team);
}

} // namespace

void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke) {
  if (count > most_arguments)
    die(exit_code::no_resources, "a parallel region with %u arguments; the most are %u", count, most_arguments);
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  const uint32_t requested = self.pushed_threads;
  const uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    use_strict_clause(self, 1);
    begin_serial_region(self, source, requested, invoke);
    invoke(microtask, self.gtid, 0, count, arguments);
    end_serial_region(self);
    return;
  }
  const RegionResources resources(self, threads);
  const Construct construct{source, microtask, count, arguments, invoke, tell_begin(requested, threads, invoke)};
  RegionPlan plan = plan_with_crew(self, threads, construct, false);
  if (layout().nodes() != 1) [[unlikely]]
    prepare_to_stay(self, plan, construct);
  schedulers::VisitSeen seen;
  if ((!plan.stays_here() || plan.travels) && several_processes()) {
    const LinesGoOut lines;
    on_fresh_page([&] { // the region's shared variables lie in its caller's frame
      seen = plan.is_lent() ? run_lent_region(self, construct, plan) : run_region(self, construct, plan, proc_bind);
    });
  } else {
    seen = run_region(self, construct, plan, proc_bind);
  }
  if (construct.observed) [[unlikely]]
    ompt::region_ends(construct.observed);
  if (!plan.stays_here()) [[unlikely]]
    came_back();
  std::optional<double> over_us; // a small region would notice a second look at the clock
  if (plan.could_travel) [[unlikely]] {
    const auto effect =
        travelling::region_is_over(construct.microtask, seen.exchanges, over_us.emplace(placing::now_us()));
    seen.disturbed = effect.disturbed;
    seen.gains_elsewhere = effect.gains;
    seen.gained_us = effect.gained_us;
    seen.fetching_us = effect.fetching_us;
    seen.away_us = effect.away_us;
  }
  if (layout().nodes() != 1) [[unlikely]]
    placing::region_is_over(self, seen, over_us);
}

void begin_serial_region(Thread& self, const void* source, uint32_t requested, Invoker invoke) {
  self.pushed_threads = 0;
  self.pushed_strict.threads = 0;
  begin_region_of_one(self, source, tell_begin(requested, 1, invoke));
}

void end_serial_region(Thread& self) { end_own_region(self); }

void begin_open_region(Thread& self, void* microtask, uint32_t count, void* const* arguments, Invoker invoke) {
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  const uint32_t requested = self.pushed_threads;
  const uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    use_strict_clause(self, 1);
    begin_serial_region(self, nullptr, requested, invoke);
    self.open_regions.push_back(nullptr);
    return;
  }
  auto* resources = new RegionResources(self, threads);
  const Construct construct{nullptr, microtask, count, arguments, invoke, tell_begin(requested, threads, invoke)};
  begin_region(self, construct, plan_with_crew(self, threads, construct, true), proc_bind);
  self.open_regions.push_back(resources);
}

void end_open_region(Thread& self) {
  if (self.open_regions.empty())
    return; // the program ends what it has not begun
  end_own_region(self);
  delete self.open_regions.back(); // null: it had one thread
  self.open_regions.pop_back();
}

} // namespace hetmp::runtime
