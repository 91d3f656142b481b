#include "runtime/regions/team_setup.hpp"

#include "base/check.hpp"
#include "base/valgrind.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/global/node_cancellations.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/loops/plan_cache.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/regions/node_parts.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/tasking/task_watch.hpp"
#include "runtime/team/allocators.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/valid_team.hpp"
#include "runtime/wait/write_changed.hpp"
#include "schedulers/arithmetic/deal.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// The program may pass values of which it has set a part only, an int in the place of a pointer: comparing them
/// decides nothing wrong, but memcheck would show it as a mistake.
const bool never_compare_arguments = under_valgrind();

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

/// Counters that begin anew with each region, whoever described it.
void begin_counting(NodeTeam& team) {
  write_changed(team.barriers, uint64_t(0));
  write_changed(team.meetings, 0u);
  write_changed(team.loops_before, team.first_loop);
  write_changed(team.tasks.others_wait, false);
  if (regions_may_be_cancelled)
    team.cancelled.forget(team.global ? &team.global->cancellations.cancellations_of(team.description) : nullptr);
  write_changed(team.first_single, team.singles.load(std::memory_order_relaxed)); // relaxed: nobody is in the team now
}

__attribute__((noinline, cold)) void make_room(NodeTeam& team, uint32_t local_threads) {
  for (uint32_t local = 0; local < team.member_capacity; local++)
    reset_tasking(team.members[local]); // what it keeps until the team's next region
  HETMP_CHECK(is_left(team));           // nobody has pointers into what is replaced
  stop_watching(team);
  team.members = std::make_unique<ImplicitTask[]>(local_threads);
  team.member_capacity = local_threads;
  team.reduction_data.resize(local_threads);
  team.tasks.reserve(local_threads);
  for (LoopBuffer& buffer : team.loops)
    buffer.shares = std::make_unique<ChunkShare[]>(local_threads);
}

uint64_t next_team_identity() {
  static std::atomic<uint64_t> last{0};                    // only node 0 spreads teams
  return last.fetch_add(1, std::memory_order_relaxed) + 1; // relaxed: only the number
}

/// What only a team on several nodes has.
__attribute__((noinline, cold)) void describe_nodes(NodeTeam& team, const Thread& self, const RegionPlan& plan) {
  TeamDescription& description = team.description;
  description.participants =
      plan.is_lent() ? NodeSet::of(0).with(plan.lent_to) : schedulers::nodes_with_threads(plan.by_node);
  description.nodes = description.participants.size();
  HETMP_CHECK(description.nodes > 1 && description.participants.contains(0)); // the primary is there
  description.team = next_team_identity();
  description.root = uint32_t(self.gtid);
  description.device = device_icvs();
  default_allocator_of(description.icvs); // made once, for all nodes
  team.global = global_level();
}

void keep_arguments(NodeTeam& team, uint32_t count, void* const* arguments) {
  TeamDescription& description = team.description;
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

} // namespace

NodeTeam* make_team() { return new NodeTeam; }

void count_alike_again(NodeTeam& team) {
  team.cancelled.out_of_step.store(false, std::memory_order_relaxed); // relaxed: all others have left the team
  restart_loops(team);
  if (team.global)
    plan_cache::forget(team.description); // not all nodes may have been in the same loops
  forget_team_reductions(team);
}

void reserve_members(NodeTeam& team, uint32_t local_threads) {
  if (team.member_capacity < local_threads) [[unlikely]]
    make_room(team, local_threads);
}

void describe(NodeTeam& team, Thread& self, const void* source, const RegionPlan& plan) {
  const ImplicitTask& enclosing = *self.task;
  const TeamDescription& around = enclosing.team->description;
  const uint32_t threads = plan.threads, local_threads = plan.local_threads();
  TeamDescription& description = team.description;
  write_changed(description.node, own_node());
  write_changed(description.threads, threads);
  write_changed(description.first_thread, 0u);
  write_changed(description.local_threads, local_threads);
  write_changed(description.level, enclosing.level + 1);
  write_changed(description.active_level, enclosing.active_level + (threads > 1 ? 1 : 0));
  write_changed(description.league_teams, around.league_teams);
  write_changed(description.league_number, around.league_number);
  write_changed(description.float_control, float_control::get());
  describe_icvs(description, self);
  use_strict_clause(self, threads);
  write_changed(description.source, source);
  if (!plan.stays_here()) [[unlikely]] {
    describe_nodes(team, self, plan);
  } else {
    write_changed(description.nodes, 1u);
    write_changed(description.participants, NodeSet::of(description.node));
    write_changed(team.global, static_cast<GlobalLevel*>(nullptr));
  }
  write_changed(team.working_threads, local_threads - plan.idle);
  if (threads == 1 || local_threads == 0 || counted_group(enclosing))
    write_changed(team.contention, enclosing.team->contention);
  else
    begin_contention_group(team); // goes by all of the description
  begin_counting(team);
}

void describe_as(NodeTeam& team, const TeamDescription& part) {
  copy_all_but_arguments(team.description, part);
  if (several_processes())
    set_device_icvs(part.device);
  keep_arguments(team, part.argument_count, part.arguments);
  team.global = part.is_lent() ? nullptr : global_level();
  write_changed(team.working_threads, part.local_threads);
  begin_contention_group(team);
  begin_counting(team);
}

void keep_outlined_function(NodeTeam& team, const Construct& construct) {
  TeamDescription& description = team.description;
  write_changed(description.microtask, construct.microtask);
  write_changed(description.invoke, construct.invoke);
  write_changed(description.argument_count, construct.count);
  keep_arguments(team, construct.count, construct.arguments);
}

} // namespace hetmp::runtime
