#include "runtime/core/team_setup.hpp"

#include "perf/trace.hpp"
#include "runtime/affinity/binding.hpp"
#include "runtime/affinity/display.hpp"
#include "runtime/core/loop.hpp"
#include "runtime/core/nodes.hpp"
#include "runtime/core/team_size.hpp"
#include "runtime/core/traced.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_reduction.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

void release_team(Thread& self, NodeTeam& team) {
  if (team.out_of_step.load(std::memory_order_relaxed)) {
    team.out_of_step.store(false, std::memory_order_relaxed);
    restart_loops(team);
    forget_team_reductions(team);
  }
  team.first_loop = team.members[0].loops;
  team.next_unused = self.unused_teams;
  self.unused_teams = &team;
}

/// How large the regions inside the one described are: by a clause with a list, on it or on one around it, else by the list in the
/// environment. Whatever neither says is inherited.
void describe_sizes_inside(TeamDescription& description, Thread& self) {
  const uint32_t inside = description.level + 1;
  ListedSizes& listed = description.listed;
  if (self.pushed_list.count != 0) {
    listed.assign(self.pushed_list);
    listed.first_level = inside;
    self.pushed_list.count = 0;
  } else {
    listed.assign(self.task->team->description.listed);
  }
  const auto& by_level = program_icvs().nthreads_by_level;
  if (listed.names(inside))
    description.icvs.nthreads = listed.at(inside);
  else if (listed.count == 0 && description.level < by_level.size())
    description.icvs.nthreads = by_level[description.level];
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
  describe_sizes_inside(description, self);
  use_strict_clause(self, threads);
  description.source = source;
  team.global = nullptr;
  team.tasks.oldest_first = false;
  team.working_threads = threads;
  begin_counting(team);
}

void begin_counting(NodeTeam& team) {
  team.barriers = 0;
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

void start_workers(Thread& primary, NodeTeam& team) {
  team.region_end.start(team.local_threads() - 1);
  team.crew = primary.crew.data();
  team.tasks.oldest_first = team.global && team.local_threads() == 1;
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

void execute(Thread& self, NodeTeam& team) {
  const TeamDescription& description = team.description;
  const perf::TraceSpan span(is_traced(*self.task), perf::TraceEvent::Kind::Region, description.node, self.task->number,
                             description.microtask, description.source);
  description.invoke(description.microtask, self.gtid, int(self.task->number), description.argument_count,
                     team.arguments);
}

void leave(Thread& self, NodeTeam& team) {
  self.task = team.enclosing;
  release_team(self, team);
}

} // namespace hetmp::runtime
