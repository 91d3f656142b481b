#include "runtime/regions/spread_team.hpp"

#include "base/cpu_list.hpp"
#include "base/message.hpp"
#include "perf/report/trace.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/regions/node_parts.hpp"
#include "runtime/regions/spread.hpp"
#include "runtime/regions/team_setup.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/allocators.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/visits.hpp"
#include "runtime/team/worker_pool.hpp"
#include "schedulers/arithmetic/deal.hpp"

namespace hetmp::runtime {

SpreadHooks spread_hooks;
visits::Hooks visits::hooks;

namespace {

constexpr int exit_code_no_resources = 71; // EX_OSERR of sysexits.h

/// The thread that leads a node's part of one team after the other, so that thread numbers (and with them threadprivate
/// variables) stay with the same threads from region to region. Only nodes inside one process: a node process has a
/// resident leader anyway.
struct Resident {
  /// From being given a part until all but the join of that part is done: its next part may be posted from then on, and
  /// is found when it comes back.
  std::atomic<bool> taken{false};
  Thread* thread = nullptr; ///< belongs to whoever set `taken`
};
Resident resident_of[most_nodes];

/// Null if it is at work for another team (of another initial thread), or there can be none.
Thread* take_resident(uint32_t node) {
  Resident& resident = resident_of[node];
  if (resident.taken.exchange(true, std::memory_order_acquire)) // pairs with the release in run_node_part()
    return nullptr;
  if (!resident.thread) {
    resident.thread = pool_of_node(node).take();
    if (resident.thread)
      resident.thread->resident = true;
    else
      resident.taken.store(false, std::memory_order_relaxed);
  }
  return resident.thread;
}

uint64_t next_team_identity() {
  static std::atomic<uint64_t> last{0}; // only node 0 spreads teams
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Readies a team for loops that are placed.
void begin_placing(NodeTeam& team) {
  team.global = global_level();
  team.unplaced.store(false, std::memory_order_relaxed);
  team.static_visits.clear();
  if (placement().static_loops || schedulers::probes(team.description.icvs.run_schedule.kind))
    prepare_to_measure();
}

void start_other_nodes(NodeTeam& team, const std::vector<uint32_t>& by_node) {
  for (uint32_t node = 1; node < by_node.size(); node++)
    if (by_node[node] != 0)
      team.global->start(part_of_node(team.description, by_node, node));
}

/// The primary of a spread team runs on node 0 like that node's workers; done once for each thread.
void move_to_own_node(Thread& self) {
  if (self.bound)
    return;
  self.bound = true;
  if (layout().kind == Layout::Kind::CpuSets)
    bind_thread(layout().cpus[self.node]);
}

} // namespace

void run_spread(Thread& self, NodeTeam& team, const std::vector<uint32_t>& threads) {
  move_to_own_node(self);
  begin_placing(team);
  TeamDescription& description = team.description;
  default_allocator_of(description.icvs); // made once, for all nodes
  description.local_threads = threads[0];
  description.device = device_icvs();
  description.team = next_team_identity();
  description.participants = schedulers::nodes_with_threads(threads);
  description.nodes = description.participants.size();
  description.root = uint32_t(self.gtid);
  start_other_nodes(team, threads);
  begin_contention_group(team);
  start_workers(self, team);
  enter(self, team, 0);
  execute(self, team);
  const perf::TraceSpan waiting(true, perf::TraceEvent::Kind::Join, 0, 0);
  finish_region(self, team);
  visits::ends(team);
  join_nodes(*self.task);
  leave(self, team);
}

void forget_residents() {
  for (Resident& resident : resident_of) {
    resident.thread = nullptr;
    resident.taken.store(false, std::memory_order_relaxed); // a forked child has one thread
  }
}

void run_node_part(const TeamDescription& part) {
  Thread& self = current_thread();
  CrewScope crew(self);
  NodeTeam& team = acquire_team(self);
  team.enclosing = self.task;
  copy_all_but_arguments(team.description, part);
  if (several_processes())
    set_device_icvs(part.device);
  keep_arguments(team, part.microtask, part.argument_count, part.arguments);
  affinity::choose_display(self, team);
  begin_placing(team);
  begin_contention_group(team);
  begin_counting(team);
  reserve_members(team, part.local_threads);
  resize_crew(self, part.local_threads - 1);
  if (self.crew.size() + 1 < part.local_threads)
    die(exit_code_no_resources, "node %u cannot have %u threads", part.node, part.local_threads);
  start_workers(self, team);
  enter(self, team, 0);
  execute(self, team);
  finish_region(self, team);
  visits::ends(team);
  if (spread_hooks.node_part_finished)
    spread_hooks.node_part_finished();
  if (self.resident)
    resident_of[self.node].taken.store(false, std::memory_order_release); // pairs with take_resident()
  join_nodes(*self.task);
  leave(self, team);
}

void launch_node_part(const TeamDescription& part) {
  Thread* worker = take_resident(part.node);
  if (!worker)
    worker = pool_of_node(part.node).take();
  if (!worker)
    die(exit_code_no_resources, "node %u cannot have a thread", part.node);
  if (!worker->next_part)
    worker->next_part = new TeamDescription;
  *worker->next_part = part;
  worker->next_team = nullptr;
  worker->go.post();
}

} // namespace hetmp::runtime
