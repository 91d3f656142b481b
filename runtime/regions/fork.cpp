#include "runtime/regions/fork.hpp"

#include "base/message.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/region_plan.hpp"
#include "runtime/regions/spread.hpp"
#include "runtime/regions/spread_team.hpp"
#include "runtime/regions/team_setup.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/fresh_page.hpp"
#include "runtime/wait/write_changed.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

constexpr int exit_code_no_resources = 71; // EX_OSERR of sysexits.h

/// Also where a target region is between: levels begin anew inside it.
bool is_inside_active_region(const ImplicitTask& task) {
  const ImplicitTask* at = &task;
  while (at && at->active_level == 0)
    at = at->parent;
  return at != nullptr;
}

RegionFacts facts_of(const Thread& self, uint32_t threads, uint32_t count) {
  RegionFacts facts;
  facts.threads = threads;
  facts.arguments = count;
  facts.dynamic = self.task->icvs.dynamic;
  facts.in_active_region = is_inside_active_region(*self.task);
  facts.met_on = self.node;
  facts.nodes_can_meet = global_level() != nullptr;
  facts.frame_is_reachable = !spread_hooks.may_spread || spread_hooks.may_spread();
  facts.cpus = layout().cpu_counts();
  return facts;
}

RegionPlan wanted_plan(const Thread& self, uint32_t threads, uint32_t count, const void* microtask) {
  if (layout().nodes() == 1) [[likely]]
    return stay_here(threads, StaysHere::OneNode);
  const RegionFacts facts = facts_of(self, threads, count);
  const StaysHere reason = why_it_stays(facts);
  if (reason != StaysHere::No)
    return stay_here(threads, reason);
  return deal_region(facts, nodes_for_region(microtask)); // which counts the teams that ask
}

/// The primary's crew is as large as the plan says, which has become smaller if the system refuses threads: at most
/// twice, from several nodes to this one, and to what this one can have.
RegionPlan plan_with_crew(Thread& self, uint32_t threads, uint32_t count, const void* microtask) {
  RegionPlan plan = wanted_plan(self, threads, count, microtask);
  resize_crew(self, plan.local_threads() - 1);
  while (self.crew.size() + 1 < plan.local_threads()) {
    plan = with_fewer_workers(plan, uint32_t(self.crew.size()) + 1);
    resize_crew(self, plan.local_threads() - 1);
  }
  return plan;
}

void run_on_this_node(Thread& self, NodeTeam& team) {
  start_workers(self, team);
  enter(self, team, 0);
  execute(self, team);
  finish_region(self, team);
  leave(self, team);
  if (!team.seats.empty()) [[unlikely]]
    affinity::leave_bound_team(self);
}

} // namespace

void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke) {
  if (count > most_arguments)
    die(exit_code_no_resources, "a parallel region with %u arguments; the most are %u", count, most_arguments);
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  const uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    use_strict_clause(self, 1);
    begin_serial_region(self, source);
    invoke(microtask, self.gtid, 0, count, arguments);
    end_serial_region(self);
    return;
  }
  const ContentionScope contention(counted_group(*self.task), threads);
  CrewScope crew(self);
  const RegionPlan plan = plan_with_crew(self, threads, count, microtask);
  NodeTeam& team = acquire_team(self);
  write_changed(team.enclosing, self.task);
  describe(team, self, source, plan.threads);
  write_changed(team.working_threads, team.local_threads() - plan.idle);
  reserve_members(team, team.local_threads());
  keep_arguments(team, microtask, count, arguments);
  affinity::prepare_seats(self, team, proc_bind);
  affinity::choose_display(self, team);
  write_changed(team.description.invoke, invoke);
  if (!plan.spreads())
    run_on_this_node(self, team);
  else if (several_processes()) // the region's shared variables lie in its caller's frame
    on_fresh_page([&] { run_spread(self, team, plan.by_node); });
  else
    run_spread(self, team, plan.by_node);
}

void begin_serial_region(Thread& self, const void* source) {
  self.pushed_threads = 0;
  self.pushed_strict.threads = 0;
  NodeTeam& team = acquire_team(self);
  write_changed(team.enclosing, self.task);
  describe(team, self, source, 1);
  affinity::leave_seats(team);
  affinity::choose_display(self, team);
  reserve_members(team, 1);
  enter(self, team, 0);
}

void end_serial_region(Thread& self) {
  finish_region(self, *self.task->team);
  leave(self, *self.task->team);
}

void work(Thread& worker) {
  NodeTeam* team = worker.next_team;
  if (!team) {
    run_node_part(*worker.next_part);
    if (!worker.resident)
      pool_of_node(worker.node).give_back(&worker);
    return;
  }
  if (worker.called_back) {
    worker.called_back = false;
    worker.task = &team->members[worker.next_local_number];
  } else {
    enter(worker, *team, worker.next_local_number);
    execute(worker, *team);
  }
  leave_region(worker, *team); // the last access to the team: its primary may set it up anew
}

} // namespace hetmp::runtime
