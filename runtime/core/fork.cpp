#include "runtime/core/fork.hpp"

#include "base/cpu_list.hpp"
#include "base/message.hpp"
#include "perf/trace.hpp"
#include "runtime/affinity/binding.hpp"
#include "runtime/affinity/display.hpp"
#include "runtime/core/fresh_page.hpp"
#include "runtime/core/invoke.hpp"
#include "runtime/core/nodes.hpp"
#include "runtime/core/placement.hpp"
#include "runtime/core/spread.hpp"
#include "runtime/core/traced.hpp"
#include "runtime/core/visits.hpp"
#include "runtime/core/withdrawal.hpp"
#include "runtime/core/worker_pool.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/tasking/helping.hpp"
#include "schedulers/deal.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hetmp::runtime {

SpreadHooks spread_hooks;
visits::Hooks visits::hooks;

namespace {

constexpr int exit_code_no_resources = 71; // EX_OSERR of sysexits.h

// ---- setting up

NodeTeam& acquire_team(Thread& self) {
  NodeTeam* team = self.unused_teams;
  if (!team)
    return *new NodeTeam;
  self.unused_teams = team->next_unused;
  return *team;
}

void release_team(Thread& self, NodeTeam& team) {
  team.first_loop = team.members[0].loops;
  team.next_unused = self.unused_teams;
  self.unused_teams = &team;
}

void reserve_members(NodeTeam& team, uint32_t local_threads) {
  if (team.member_capacity >= local_threads)
    return;
  for (uint32_t local = 0; local < team.member_capacity; local++)
    reset_tasking(team.members[local]); // what it keeps until the team's next region
  team.members = std::make_unique<ImplicitTask[]>(local_threads);
  team.member_capacity = local_threads;
  team.reduction_data.resize(local_threads);
  team.tasks.reserve(local_threads);
}

void enter(Thread& thread, NodeTeam& team, uint32_t local_number) {
  const TeamDescription& description = team.description;
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
  task.loop.open = false;
  task.static_visit = 0;
  task.reduction = ReductionMethod::None;
  affinity::take_seat(thread, team, local_number);
  reset_tasking(task);
  thread.task = &task;
  if (team.displayed) [[unlikely]]
    affinity::display_thread({});
}

/// The description of a region of `threads` threads, all on this node.
void describe(NodeTeam& team, const ImplicitTask& enclosing, const void* source, uint32_t threads) {
  TeamDescription& description = team.description;
  description.node = own_node();
  description.nodes = 1;
  description.participants = uint64_t(1) << description.node;
  description.threads = threads;
  description.first_thread = 0;
  description.local_threads = threads;
  description.level = enclosing.level + 1;
  description.active_level = enclosing.active_level + (threads > 1 ? 1 : 0);
  description.league_teams = enclosing.team->description.league_teams;
  description.league_number = enclosing.team->description.league_number;
  description.icvs = enclosing.icvs;
  const auto& by_level = program_icvs().nthreads_by_level;
  if (description.level < by_level.size())
    description.icvs.nthreads = by_level[description.level];
  description.source = source;
  team.global = nullptr;
  team.working_threads = threads;
  team.cancelled.store(0, std::memory_order_relaxed); // a region that was left at its end may have kept it
  team.first_single = team.singles.load(std::memory_order_relaxed);
}

void keep_arguments(NodeTeam& team, void* microtask, uint32_t count, void* const* arguments) {
  team.description.microtask = microtask;
  team.description.argument_count = count;
  if (count <= most_forwarded_arguments) {
    std::copy(arguments, arguments + count, team.description.arguments);
    team.arguments = team.description.arguments;
  } else {
    team.many_arguments.assign(arguments, arguments + count);
    team.arguments = team.many_arguments.data();
  }
}

/// The thread's crew for the team it is forming. Inside a team of its own that crew is at work: a nested team gets
/// another one, which goes back to the pool afterwards. So does the crew of a worker, whose help is over with its region.
class CrewScope {
public:
  explicit CrewScope(Thread& primary) : primary_(primary), nested_(primary.crew_at_work) {
    if (nested_)
      outer_.swap(primary.crew);
    primary.crew_at_work = true;
  }
  ~CrewScope() {
    if (nested_ || !(primary_.root || primary_.resident))
      resize_crew(primary_, 0);
    if (nested_)
      outer_.swap(primary_.crew);
    primary_.crew_at_work = nested_;
  }
  CrewScope(const CrewScope&) = delete;
  CrewScope& operator=(const CrewScope&) = delete;

private:
  Thread& primary_;
  const bool nested_;
  std::vector<Thread*> outer_;
};

// ---- running

void execute(Thread& self, NodeTeam& team) {
  const TeamDescription& description = team.description;
  const perf::TraceSpan span(is_traced(*self.task), perf::TraceEvent::Kind::Region, description.node, self.task->number,
                             description.microtask, description.source);
  description.invoke(description.microtask, self.gtid, int(self.task->number), description.argument_count,
                     team.arguments);
}

void start_workers(Thread& primary, NodeTeam& team) {
  team.region_end.start(team.local_threads() - 1);
  team.crew = primary.crew.data();
  const uint32_t workers = team.local_threads() - 1;
  // Before anybody starts: the first worker may announce tasks at once, and would call back those that left the last region.
  for (uint32_t i = 0; i < workers; i++)
    team.crew[i]->leaving.store(false, std::memory_order_relaxed); // published by each post
  for (uint32_t i = 0; i < workers; i++) {
    Thread& worker = *team.crew[i];
    worker.next_team = &team;
    worker.next_local_number = i + 1;
    worker.go.post();
  }
}

/// Back to what the thread did before.
void leave(Thread& self, NodeTeam& team) {
  self.task = team.enclosing;
  release_team(self, team);
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

// ---- several nodes

bool may_spread(const Thread& self, uint32_t threads, uint32_t count) {
  return layout().nodes() > 1 && threads > 1 && self.task->active_level == 0 && count <= most_forwarded_arguments &&
         self.node == 0 && global_level() && (!spread_hooks.may_spread || spread_hooks.may_spread());
}

/// The thread that leads a node's part of one team after the other, so that thread numbers (and with them threadprivate
/// variables) stay with the same threads from region to region. Only nodes inside one process: a node process has a
/// resident leader anyway.
struct Resident {
  /// From being given a part until all but the join of that part is done: its next part may be posted from then on, and
  /// is found when it comes back.
  std::atomic<bool> taken{false};
  Thread* thread = nullptr; ///< belongs to whoever set `taken`
};
Resident resident_of[most_node_processes];

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

void start_other_nodes(NodeTeam& team, const std::vector<uint32_t>& threads) {
  TeamDescription& description = team.description;
  description.first_thread = threads[0];
  for (uint32_t node = 1; node < threads.size(); node++) {
    if (threads[node] == 0)
      continue;
    description.node = node;
    description.local_threads = threads[node];
    team.global->start(description);
    description.first_thread += threads[node];
  }
  description.node = 0;
  description.first_thread = 0;
  description.local_threads = threads[0];
}

/// The primary of a spread team runs on node 0 like that node's workers; done once for each thread.
void move_to_own_node(Thread& self) {
  if (self.bound)
    return;
  self.bound = true;
  if (layout().kind == Layout::Kind::CpuSets)
    bind_thread(layout().cpus[self.node]);
}

void run_spread(Thread& self, NodeTeam& team, const std::vector<uint32_t>& threads) {
  move_to_own_node(self);
  begin_placing(team);
  TeamDescription& description = team.description;
  description.team = next_team_identity();
  description.participants = schedulers::nodes_with_threads(threads);
  description.nodes = uint32_t(__builtin_popcountll(description.participants));
  description.root = uint32_t(self.gtid);
  start_other_nodes(team, threads);
  start_workers(self, team);
  enter(self, team, 0);
  execute(self, team);
  const perf::TraceSpan waiting(true, perf::TraceEvent::Kind::Join, 0, 0);
  finish_region(self, team);
  visits::ends(team);
  team.global->join(team.description, ++self.task->constructs, team.unplaced.load(std::memory_order_relaxed));
  leave(self, team);
}

// ---- size

uint32_t wanted_threads(Thread& self) {
  const TaskIcvs& icvs = self.task->icvs;
  uint32_t threads = most_threads_of_next_team(self);
  self.pushed_threads = 0;
  if (self.task->active_level >= icvs.max_active_levels)
    return 1;
  if (icvs.dynamic)
    threads = std::min(threads, default_team_size(layout()));
  if (threads > icvs.thread_limit)
    threads = icvs.thread_limit;
  if (self.task->active_level > 0 && icvs.thread_limit < INT32_MAX) {
    // Inside another team: its threads count too (relaxed: the limit bounds what is started, not an exact instant).
    const uint32_t others = threads_in_use.load(std::memory_order_relaxed) - 1;
    threads = std::min(threads, icvs.thread_limit > others + 1 ? icvs.thread_limit - others : 1);
  }
  return threads;
}

} // namespace

uint32_t most_threads_of_next_team(const Thread& self) {
  return std::max(self.pushed_threads != 0 ? self.pushed_threads : self.task->icvs.nthreads, 1u);
}

void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke) {
  if (count > most_arguments)
    die(exit_code_no_resources, "a parallel region with %u arguments; the most are %u", count, most_arguments);
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    begin_serial_region(self, source);
    invoke(microtask, self.gtid, 0, count, arguments);
    end_serial_region(self);
    return;
  }
  CrewScope crew(self);
  std::vector<uint32_t> dealt;
  uint32_t idle = 0; // threads that only keep the team's size
  if (may_spread(self, threads, count)) {
    dealt = schedulers::deal_threads(threads, layout().cpu_counts(), nodes_for_region(microtask));
    if (dealt[0] == threads) { // the region needs this node only
      dealt.clear();
      const uint32_t useful = std::min(threads, layout().cpu_counts()[0]);
      if (self.task->icvs.dynamic) // only then may a team be smaller than the program was told
        threads = useful;
      else
        idle = threads - useful;
    } else {
      resize_crew(self, dealt[0] - 1);
      if (self.crew.size() < dealt[0] - 1)
        dealt.clear(); // every node computes how a team is dealt: without these threads it stays here
    }
  }
  if (dealt.empty())
    resize_crew(self, threads - 1);
  NodeTeam& team = acquire_team(self);
  team.enclosing = self.task;
  describe(team, *self.task, source, dealt.empty() ? uint32_t(self.crew.size()) + 1 : threads);
  team.working_threads = team.local_threads() - std::min(idle, team.local_threads() - 1);
  reserve_members(team, team.local_threads());
  keep_arguments(team, microtask, count, arguments);
  affinity::prepare_seats(self, team, proc_bind);
  affinity::choose_display(self, team);
  team.description.invoke = invoke;
  if (dealt.empty())
    run_on_this_node(self, team);
  else if (several_processes()) // the region's shared variables lie in its caller's frame
    on_fresh_page([&] { run_spread(self, team, dealt); });
  else
    run_spread(self, team, dealt);
}

void begin_serial_region(Thread& self, const void* source) {
  self.pushed_threads = 0;
  NodeTeam& team = acquire_team(self);
  team.enclosing = self.task;
  describe(team, *self.task, source, 1);
  affinity::leave_seats(team);
  affinity::choose_display(self, team);
  reserve_members(team, 1);
  enter(self, team, 0);
}

void end_serial_region(Thread& self) {
  finish_region(self, *self.task->team);
  leave(self, *self.task->team);
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
  // Only the used arguments have travelled.
  memcpy(static_cast<void*>(&team.description), &part, offsetof(TeamDescription, arguments));
  keep_arguments(team, part.microtask, part.argument_count, part.arguments);
  affinity::choose_display(self, team);
  begin_placing(team);
  team.cancelled.store(0, std::memory_order_relaxed);
  team.first_single = team.singles.load(std::memory_order_relaxed);
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
  team.global->join(team.description, ++self.task->constructs, team.unplaced.load(std::memory_order_relaxed));
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
