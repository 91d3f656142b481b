#include "runtime/regions/team_setup.hpp"

#include "base/valgrind.hpp"
#include "perf/report/trace.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/tasking/task_watch.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/traced.hpp"
#include "runtime/wait/write_changed.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// The program may pass values of which it has set a part only, an int in the place of a pointer: comparing them
/// decides nothing wrong, but memcheck would show it as a mistake.
const bool never_compare_arguments = under_valgrind();

void release_team(Thread& self, NodeTeam& team) {
  if (team.out_of_step.load(std::memory_order_relaxed)) {
    team.out_of_step.store(false, std::memory_order_relaxed);
    restart_loops(team);
    forget_team_reductions(team);
  }
  write_changed(team.first_loop, team.members[0].loops);
  write_changed(team.next_unused, self.unused_teams);
  self.unused_teams = &team;
}

/// The ICVs of the region described, and how large those inside it are: by a clause with a list, on it or on one around
/// it, else by the list in the environment. Whatever neither says is inherited.
void describe_icvs(TeamDescription& description, Thread& self) {
  const uint32_t inside = description.level + 1;
  ListedSizes& listed = description.listed;
  if (self.pushed_list.count != 0) {
    listed.assign(self.pushed_list);
    listed.first_level = inside;
    self.pushed_list.count = 0;
  } else {
    listed.assign(self.task->team->description.listed);
  }
  TaskIcvs icvs = self.task->icvs;
  const auto& by_level = program_icvs().nthreads_by_level;
  if (listed.names(inside))
    icvs.nthreads = listed.at(inside);
  else if (listed.count == 0 && description.level < by_level.size())
    icvs.nthreads = by_level[description.level];
  write_changed(description.icvs, icvs);
}

void forget_cancelled(NodeTeam& team) {
  team.cancelled.store(false, std::memory_order_relaxed);
  for (std::atomic<uint32_t>& construct : team.cancelled_worksharing)
    construct.store(0, std::memory_order_relaxed);
}

/// Unique in the process, never 0.
uint64_t name_region(Thread& primary) {
  constexpr int most_significant =
      40; // a thread that begins a region each 100 ns does so for 30 hours until its names come again
  return uint64_t(primary.gtid + 1) << most_significant |
         (++primary.regions_begun & ((uint64_t(1) << most_significant) - 1));
}

} // namespace

NodeTeam& acquire_team(Thread& self) {
  NodeTeam* team = self.unused_teams;
  if (!team)
    return *new NodeTeam;
  self.unused_teams = team->next_unused;
  return *team;
}

void reserve_members(NodeTeam& team, uint32_t local_threads) {
  if (team.member_capacity >= local_threads)
    return;
  for (uint32_t local = 0; local < team.member_capacity; local++)
    reset_tasking(team.members[local]); // what it keeps until the team's next region
  stop_watching(team);
  team.members = std::make_unique<ImplicitTask[]>(local_threads);
  team.member_capacity = local_threads;
  team.reduction_data.resize(local_threads);
  team.tasks.reserve(local_threads);
  for (LoopBuffer& buffer : team.loops)
    buffer.shares = std::make_unique<ChunkShare[]>(local_threads);
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
  task.worksharing = 1;
  task.in_static_loop = task.left_worksharing = task.has_met_at_reduction = false;
  task.loop.open = false;
  task.static_visit = 0;
  task.reduction = ReductionMethod::None;
  affinity::take_seat(thread, team, local_number);
  reset_tasking(task);
  thread.task = &task;
  if (team.displayed) [[unlikely]]
    affinity::display_thread({});
}

void describe(NodeTeam& team, Thread& self, const void* source, uint32_t threads) {
  const ImplicitTask& enclosing = *self.task;
  const TeamDescription& around = enclosing.team->description;
  TeamDescription& description = team.description;
  write_changed(description.node, own_node());
  write_changed(description.nodes, 1u);
  write_changed(description.participants, NodeSet::of(own_node()));
  write_changed(description.threads, threads);
  write_changed(description.first_thread, 0u);
  write_changed(description.local_threads, threads);
  write_changed(description.level, enclosing.level + 1);
  write_changed(description.active_level, enclosing.active_level + (threads > 1 ? 1 : 0));
  write_changed(description.league_teams, around.league_teams);
  write_changed(description.league_number, around.league_number);
  describe_icvs(description, self);
  use_strict_clause(self, threads);
  write_changed(description.source, source);
  write_changed(team.global, static_cast<GlobalLevel*>(nullptr));
  write_changed(team.tasks.oldest_first, false);
  write_changed(team.working_threads, threads);
  if (threads == 1 || counted_group(enclosing))
    write_changed(team.contention, enclosing.team->contention);
  else
    begin_contention_group(team);
  begin_counting(team);
}

void begin_counting(NodeTeam& team) {
  write_changed(team.barriers, uint64_t(0));
  write_changed(team.tasks.others_wait, false);
  if (regions_may_be_cancelled)
    forget_cancelled(team);
  write_changed(team.first_single, team.singles.load(std::memory_order_relaxed));
}

void keep_arguments(NodeTeam& team, void* microtask, uint32_t count, void* const* arguments) {
  TeamDescription& description = team.description;
  write_changed(description.microtask, microtask);
  write_changed(description.argument_count, count);
  if (count <= most_forwarded_arguments) {
    for (uint32_t i = 0; i < count; i++)
      if (never_compare_arguments)
        description.arguments[i] = arguments[i];
      else
        write_changed(description.arguments[i], arguments[i]);
    write_changed(team.arguments, static_cast<void* const*>(description.arguments));
  } else {
    team.many_arguments.assign(arguments, arguments + count);
    team.arguments = team.many_arguments.data();
  }
}

void start_workers(Thread& primary, NodeTeam& team) {
  team.region_end.start(team.local_threads() - 1, name_region(primary));
  write_changed(team.crew, static_cast<Thread* const*>(primary.crew.data()));
  write_changed(team.tasks.oldest_first, team.global && team.local_threads() == 1);
  for (uint32_t local = 1; local < team.local_threads(); local++) {
    Thread& worker = *team.crew[local - 1];
    write_changed(worker.next_team, &team);
    write_changed(worker.next_local_number, local);
    worker.go.post();
  }
}

void execute(Thread& self, NodeTeam& team) {
  const TeamDescription& description = team.description;
  const perf::TraceSpan span(is_traced(*self.task), perf::TraceEvent::Kind::Region, description.node, self.task->number,
                             description.microtask, description.source);
  description.invoke(description.microtask, self.gtid, int(self.task->number), description.argument_count,
                     team.arguments);
  meet_at_end(*self.task);
}

void leave(Thread& self, NodeTeam& team) {
  self.task = team.enclosing;
  release_team(self, team);
}

} // namespace hetmp::runtime
