// What a node's part of a team is set to before anybody enters it. For the files of this room.
#pragma once

#include "base/check.hpp"
#include "runtime/regions/construct.hpp"
#include "runtime/regions/region_plan.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/team/valid_team.hpp"
#include "runtime/wait/write_changed.hpp"

namespace hetmp::runtime {

/// For acquire_team().
NodeTeam* make_team();

/// A team of the thread's own that nobody uses, to be met where the thread is now.
inline NodeTeam& acquire_team(Thread& self) {
  NodeTeam* team = self.unused_teams;
  if (team) [[likely]]
    self.unused_teams = team->next_unused;
  else
    team = make_team();
  HETMP_CHECK(is_left(*team));
  write_changed(team->enclosing, self.task);
  return *team;
}

/// The members of a team that was cancelled count their constructs alike again.
void count_alike_again(NodeTeam& team);

/// The team is nobody's again. By the thread that acquired it, when all others have left it.
inline void give_back_team(Thread& self, NodeTeam& team) {
  if (team.cancelled.out_of_step.load(std::memory_order_relaxed)) [[unlikely]] // published by the last barrier
    count_alike_again(team);
  write_changed(team.first_loop, team.members[0].loops);
  write_changed(team.next_unused, self.unused_teams);
  self.unused_teams = &team;
}

/// The description of a region that `self` meets, as node 0 has it if there are several, but for the outlined function.
/// Uses up the thread's clauses about sizes.
void describe(NodeTeam& team, Thread& self, const void* source, const RegionPlan& plan);

/// The same for a part that another node has described.
void describe_as(NodeTeam& team, const TeamDescription& part);

void keep_outlined_function(NodeTeam& team, const Construct& construct);

/// Room for so many threads.
void reserve_members(NodeTeam& team, uint32_t local_threads);

} // namespace hetmp::runtime
