// A region from its construct to its end, as the primary of a node's part of its team goes through it. This is the one
// place that tells the sequence; who begins regions (fork.cpp, league.cpp, spread_team.cpp) only differs in where the
// description comes from and in who executes the primary's part.
//
//   plan      on which nodes, with how many threads of each: region_plan.hpp
//   begin     the team is described and has room, other nodes are told, workers begin, the primary enters
//   execute   the outlined function; each thread
//   end       workers leave, no task is left, other nodes are told or waited for, the team is nobody's again
//
//   region                        described by        crew and group   seats   other nodes
//   serial, and of a league       the construct       no               no      no
//   on this node                  the construct       yes              yes     no
//   open                          the construct       yes              yes     no
//   spread, on node 0             the construct       yes              no      begins them, waits for them
//   spread, on another node       node 0's message    crew             no      is begun, waits for none
//   lent, on the other node       node 0's message    crew             no      is begun, waits for none
//
// Of a region that is lent node 0 has no part: lending.hpp.
#pragma once

#include "runtime/regions/construct.hpp"
#include "runtime/regions/crew.hpp"
#include "runtime/regions/region_plan.hpp"
#include "runtime/settings/contention_group.hpp"
#include "runtime/team/team_size.hpp"
#include "schedulers/placement/region_placer.hpp"

namespace hetmp::runtime {

namespace ompt {
struct RegionRecord;
}
struct NodeTeam;
struct TeamDescription;

/// What a region of several threads takes for as long as it lasts: threads of its contention group, and a crew.
struct RegionResources {
  RegionResources(Thread& primary, uint32_t threads)
      : contention(counted_group(*primary.task), threads), crew(primary) {}
  const ContentionScope contention;
  const CrewScope crew;
};

/// Begins a region of several threads; the primary's crew has plan.local_threads() - 1 workers. `proc_bind`: the
/// clause, or negative.
NodeTeam& begin_region(Thread& primary, const Construct& construct, const RegionPlan& plan, int proc_bind);

/// Begins a region of one thread, whose code the caller executes.
NodeTeam& begin_region_of_one(Thread& primary, const void* source, ompt::RegionRecord* observed);

/// Ends the calling thread's region, which it has begun by one of these two, and whose code it has executed itself.
void end_own_region(Thread& primary);

/// A region of several threads from its beginning to its end, as begin_region(), execute() and end_region(). What it
/// was seen to do.
schedulers::VisitSeen run_region(Thread& primary, const Construct& construct, const RegionPlan& plan, int proc_bind);

/// The same of a region that is lent (lending.hpp): this node only begins it and waits for its end.
schedulers::VisitSeen run_lent_region(Thread& primary, const Construct& construct, const RegionPlan& plan);

/// This node's part of a team that node 0 has described, from its beginning to its end; the crew is as large as that
/// says. `late`: members that may begin when others have finished, of a team that is lent.
void execute_node_part(Thread& primary, const TeamDescription& part, uint32_t late);

/// The thread's part of the region's code.
void execute(Thread& self, NodeTeam& team);

/// Of the primary, when it has executed its part.
void end_region(Thread& primary, NodeTeam& team);

} // namespace hetmp::runtime
