#include "runtime/regions/region.hpp"

#include "base/check.hpp"
#include "base/machine/cpu_list.hpp"
#include "runtime/global/node_regions.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/standard_output.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/leaving.hpp"
#include "runtime/regions/lending.hpp"
#include "runtime/regions/node_parts.hpp"
#include "runtime/regions/team_setup.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/events.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/valid_team.hpp"
#include "runtime/team/worker_pool.hpp"
#include "runtime/wait/write_changed.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <cstdio>

namespace hetmp::runtime {

namespace {

// What each region goes through is one function to read, and none to call: inlined, as regions are short.
#define HETMP_INLINED inline __attribute__((always_inline))

// ---- begin

/// The primary of a spread team runs on node 0 like that node's workers; done once for each thread.
void move_to_own_node(Thread& self) {
  if (self.bound)
    return;
  self.bound = true;
  if (layout().kind == Layout::Kind::CpuSets)
    bind_thread(layout().cpus[self.node]);
}

/// Readies the node's part of a team for loops that are placed, and starts the parts of the nodes in `by_node`.
__attribute__((noinline, cold)) void begin_with_other_nodes(NodeTeam& team, const std::vector<uint32_t>& by_node) {
  team.unplaced.store(false, std::memory_order_relaxed); // the start of the workers, which comes later, publishes it
  team.static_visits.clear();
  if (placement().static_loops || schedulers::is_placed(team.description.icvs.run_schedule.kind))
    prepare_to_measure();
  for (uint32_t node = 1; node < by_node.size(); node++)
    if (by_node[node] != 0)
      team.global->regions.start(part_of_node(team.description, by_node, node));
}

/// The thread executes its implicit task from now on.
void enter(Thread& thread, NodeTeam& team, uint32_t local_number) {
  const TeamDescription& description = team.description;
  HETMP_CHECK(local_number < description.local_threads && local_number < team.member_capacity);
  float_control::set(description.float_control);
  ImplicitTask& task = team.members[local_number];
  task.team = &team;
  task.parent = team.enclosing;
  task.number = description.first_thread + local_number;
  task.local_number = local_number;
  task.team_size = description.threads;
  task.level = description.level;
  task.active_level = description.active_level;
  task.icvs = description.icvs;
  task.constructs = 0;
  task.loops = team.first_loop;
  task.singles = team.first_single;
  task.worksharing = 1;
  task.first_trips = 0;
  task.exchanges = 0;
  task.in_static_loop = task.left_worksharing = task.has_met_at_reduction = false;
  task.loop.open = false;
  task.static_visit = 0;
  task.reduction = ReductionMethod::None;
  affinity::take_seat(thread, team, local_number); // behind the ICVs, of which it changes one
  reset_tasking(task);
  thread.task = &task;
  if (team.displayed) [[unlikely]]
    affinity::display_thread({});
  if (team.observed) [[unlikely]]
    ompt::implicit_task_begins(*team.observed, task.number, task.team_size);
}

/// The job of a worker that is a member of a team.
void work_as_member(Thread& worker) {
  NodeTeam& team = *worker.next_team;
  HETMP_CHECK(worker.next_local_number != 0 && worker.next_local_number < team.local_threads());
  if (worker.called_back) {
    worker.called_back = false;
    worker.task = &team.members[worker.next_local_number];
  } else {
    enter(worker, team, worker.next_local_number);
    if (team.travels) [[unlikely]]
      travelling::execute(worker, team);
    else
      execute(worker, team);
  }
  leave_region(worker, team); // the last access to the team: its primary may set it up anew
  if (ompt::observed()) [[unlikely]]
    ompt::implicit_task_ends(0);
}

/// Unique in the process, never 0.
uint64_t name_region(Thread& primary) {
  constexpr int most_significant =
      40; // a thread that begins a region each 100 ns does so for 30 hours until its names come again
  return uint64_t(primary.gtid + 1) << most_significant |
         (++primary.regions_begun & ((uint64_t(1) << most_significant) - 1));
}

/// Lets the primary's crew begin; the last `late` of them when they are needed.
void start_workers(Thread& primary, NodeTeam& team, uint32_t late) {
  HETMP_CHECK(primary.crew.size() + 1 == team.local_threads());
  team.region_end.start(team.local_threads() - 1, name_region(primary));
  if (team.observed) [[unlikely]] // a tool is to see a barrier there, which all leave together
    team.region_end.announce_tasks();
  write_changed(team.crew, static_cast<Thread* const*>(primary.crew.data()));
  const uint32_t at_once = team.local_threads() - late;
  for (uint32_t local = 1; local < team.local_threads(); local++) {
    Thread& worker = *team.crew[local - 1];
    HETMP_CHECK(&worker != &primary && worker.node == primary.node && !worker.called_back);
    write_changed(worker.job, &work_as_member);
    write_changed(worker.next_team, &team);
    write_changed(worker.next_local_number, local);
    if (local < at_once)
      worker.go.post();
  }
  if (late != 0) [[unlikely]] {
    team.late.begin(at_once, team.local_threads());
    watch_late_members(team);
  }
}

/// A team that has been described and has its seats. Each step relies on those above it.
HETMP_INLINED void start(Thread& primary, NodeTeam& team, const std::vector<uint32_t>& by_node, uint32_t late = 0) {
  reserve_members(team, team.local_threads());
  affinity::choose_display(primary, team); // goes by the description and the seats
  HETMP_CHECK_COSTLY(is_valid(team));
  write_changed(team.tasks.oldest_first, team.global && team.local_threads() == 1);
  if (team.global) [[unlikely]]
    begin_with_other_nodes(team, by_node); // first of those that begin: they have the longest way
  if (team.local_threads() > 1)
    start_workers(primary, team, late); // publishes all of the above to them; nothing of the team may be set up later
  enter(primary, team, 0);              // last: workers enter meanwhile
}

HETMP_INLINED NodeTeam& begin(Thread& primary, const Construct& construct, const RegionPlan& plan, int proc_bind) {
  if (plan.spreads())
    move_to_own_node(primary);
  NodeTeam& team = acquire_team(primary);
  describe(team, primary, construct.source, plan);
  keep_outlined_function(team, construct);
  write_changed(team.observed, construct.observed);
  affinity::prepare_seats(primary, team, proc_bind); // behind describe(), which says how many there are
  write_changed(team.travels, plan.travels);
  start(primary, team, plan.by_node, team.seats.empty() ? plan.late : 0); // seats are threads' own
  return team;
}

// ---- end

/// All threads of the node have left its part of a team that other nodes take part in, and no task of it is left.
void tell_other_nodes(Thread& primary, NodeTeam& team) {
  write_partial_line();
  events::visit_ends(team); // nobody here touches the loops' pages any more
  HETMP_CHECK(is_left(team));
  // Both before node 0 goes on: it may read what this node has written, or end the program; and it may have the next
  // part for the resident.
  if (team.description.node != 0 && fabric)
    fflush(nullptr); // what threads here have printed must not be lost in this process, nor come after what follows
  if (primary.resident)
    pool_of_node(primary.node).release_resident(primary);
  const bool is_lent = team.description.is_lent();
  // relaxed: the threads that may have written it have left the region. What is lent has asked nobody about its loops.
  const bool unplaced = is_lent || team.unplaced.load(std::memory_order_relaxed);
  // Node 0 waits for all others here, they only tell it.
  join_nodes(team, {unplaced, primary.task->first_trips, is_lent && took_bound_call()});
}

/// Back to what the primary did before; the team is nobody's again.
void leave(Thread& primary, NodeTeam& team) {
  HETMP_CHECK(primary.task == &team.members[0] && is_left(team));
  primary.task = team.enclosing;
  give_back_team(primary, team);
  if (!team.seats.empty()) [[unlikely]]
    affinity::leave_bound_team(primary); // which asks where the thread is now
}

/// The same, and a tool is told.
__attribute__((noinline, cold)) void finish_observed_region(Thread& primary, NodeTeam& team) {
  if (team.alone()) {
    finish_region(primary, team);
  } else {
    const ompt::SyncRegion barrier(ompt::SyncKind::BarrierImplicitParallel);
    finish_region(primary, team);
  }
  ompt::implicit_task_ends(team.description.threads);
}

HETMP_INLINED void finish(Thread& primary, NodeTeam& team) {
  if (team.observed) [[unlikely]]
    finish_observed_region(primary, team);
  else
    finish_region(primary, team);
}

__attribute__((noinline, cold)) void end_among_nodes(Thread& primary, NodeTeam& team) {
  const events::EndingRegion ending(team);
  finish(primary, team);
  tell_other_nodes(primary, team);
  leave(primary, team);
}

HETMP_INLINED void end(Thread& primary, NodeTeam& team) {
  if (team.global) [[unlikely]]
    return end_among_nodes(primary, team);
  finish(primary, team);
  leave(primary, team);
}

} // namespace

NodeTeam& begin_region(Thread& primary, const Construct& construct, const RegionPlan& plan, int proc_bind) {
  return begin(primary, construct, plan, proc_bind);
}

NodeTeam& begin_region_of_one(Thread& primary, const void* source, ompt::RegionRecord* observed) {
  NodeTeam& team = acquire_team(primary);
  write_changed(team.observed, observed);
  describe(team, primary, source, stay_here(1, StaysHere::OneThread));
  affinity::leave_seats(team);
  start(primary, team, {});
  return team;
}

void execute(Thread& self, NodeTeam& team) {
  const TeamDescription& description = team.description;
  const events::ExecutingRegion executing(*self.task);
  description.invoke(description.microtask, self.gtid, int(self.task->number), description.argument_count,
                     team.arguments);
  if (team.observed) [[unlikely]]
    ompt::implicit_task_returns();
  if (regions_may_be_cancelled) [[unlikely]]
    meet_at_end(*self.task);
}

void end_region(Thread& primary, NodeTeam& team) { end(primary, team); }

void end_own_region(Thread& primary) {
  ompt::RegionRecord* const observed = primary.task->team->observed;
  end(primary, *primary.task->team);
  if (observed) [[unlikely]]
    ompt::region_ends(observed);
}

namespace {

/// Of a team that is over, and as it was until its primary begins another region.
schedulers::VisitSeen seen_of(const NodeTeam& team) {
  const ImplicitTask& primary = team.members[0];
  return {.trips = primary.first_trips,
          .exchanges = team.meetings + uint32_t(primary.loops - team.loops_before) + primary.exchanges};
}

/// In the place of members that nobody has waited for. Where there are tasks they begin as threads: a member may wait
/// for a task, which this thread is to execute when it comes to the region's end.
void execute_late_members(Thread& primary, NodeTeam& team) {
  const auto may_stand_in = [&] { return !threads_are_bound() && !team.region_end.tasks_announced(); };
  const FloatControl own = float_control::get(); // a member may set others, which are not the primary's
  primary.stands_in = true;
  while (may_stand_in()) {
    const auto local = team.late.claim();
    if (!local)
      break;
    enter(primary, team, *local);
    execute(primary, team);
    team.region_end.leave();
  }
  primary.stands_in = false;
  float_control::set(own);
  primary.task = &team.members[0];
  start_late_members(team); // if some are left
}

} // namespace

schedulers::VisitSeen run_region(Thread& primary, const Construct& construct, const RegionPlan& plan, int proc_bind) {
  NodeTeam& team = begin(primary, construct, plan, proc_bind);
  if (plan.travels) [[unlikely]]
    travelling::execute(primary, team);
  else
    execute(primary, team);
  if (plan.late != 0) [[unlikely]]
    execute_late_members(primary, team);
  end(primary, team);
  return seen_of(team);
}

schedulers::VisitSeen run_lent_region(Thread& primary, const Construct& construct, const RegionPlan& plan) {
  HETMP_CHECK(primary.node == 0 && plan.is_lent() && !construct.observed);
  NodeTeam& team = acquire_team(primary);
  describe(team, primary, construct.source, plan);
  keep_outlined_function(team, construct);
  reserve_members(team, 1); // nobody enters; what is given back has one
  std::vector<uint32_t> by_node(plan.lent_to + 1);
  by_node.back() = plan.threads;
  const events::EndingRegion waiting(team);
  team.global->regions.start(part_of_node(team.description, by_node, plan.lent_to));
  const NodeRegions::Seen seen = join_nodes(team, {.unplaced = true, .trips = 0, .bound = false});
  give_back_team(primary, team);
  return {.trips = seen.trips, .bound = seen.bound};
}

static void compute_alone(bool begins) {
  if (fabric && fabric->compute_alone)
    fabric->compute_alone(begins);
}

void execute_node_part(Thread& primary, const TeamDescription& part, uint32_t late) {
  HETMP_CHECK(late == 0 || part.is_lent());
  if (part.is_lent()) {
    took_bound_call(); // what was called before is not this region's
    compute_alone(true);
  }
  NodeTeam& team = acquire_team(primary);
  describe_as(team, part);
  write_changed(team.observed, static_cast<ompt::RegionRecord*>(nullptr)); // no tool is told what other nodes do
  affinity::leave_seats(team);
  start(primary, team, {}, late);
  execute(primary, team);
  if (late != 0)
    execute_late_members(primary, team);
  if (part.is_lent())
    compute_alone(false);
  end_among_nodes(primary, team);
}

} // namespace hetmp::runtime
