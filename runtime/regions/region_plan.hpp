// On which nodes a region runs, and with how many threads of each. Decided here and nowhere else, once for
// each region, before anything of it exists. Pure: facts in, a plan out.
#pragma once

#include "base/node_set.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::runtime {

/// What is known when a thread meets a region's construct.
struct RegionFacts {
  uint32_t threads = 1;            ///< that the region is to have, at least 1
  uint32_t arguments = 0;          ///< of its outlined function
  bool dynamic = false;            ///< dyn-var: the team may be smaller than the program was told
  bool executed_by_caller = false; ///< an open region: the caller itself executes the primary's part
  bool in_active_region = false;   ///< a region of several threads is around it
  uint32_t met_on = 0;             ///< node of the thread that meets it
  bool nodes_can_meet = true;      ///< there is a global level
  bool frame_is_reachable = true;  ///< other nodes can read the caller's stack
  bool holds_locks = false;        ///< the caller, and their form would have to change (sync/program_locks.hpp)
  std::vector<uint32_t> cpus;      ///< of each node; one element: there is one node, and only `threads` matters
};

/// Why all threads of a region are on the node that met it.
enum class StaysHere : uint8_t {
  No,      ///< it runs on several nodes
  OneNode, ///< there are no others
  OneThread,
  ExecutedByCaller, ///< its first part, which other nodes would have to begin afresh
  InActiveRegion,   ///< nested teams stay on their node
  TooManyArguments, ///< for a message
  MetElsewhere,     ///< by a thread of another node than 0, which leads teams on several
  NoGlobalLevel,
  UnreachableFrame,   ///< of a thread that the program made itself
  NeedsNoOther,       ///< all its loops have been decided for node 0
  AskedFor,           ///< by HETMP_PLACEMENT
  HasThreadVariables, ///< the program has: thread numbers stay with the threads of this node
  HasProcessState,    ///< the program has set something that only node 0's process has
  FitsHere,           ///< has no more threads than node 0 has CPUs, or is met by a thread beside main
  PaysHere,           ///< several nodes do not pay for it, or nobody knows yet
  NoWorkers,          ///< the system refuses node 0 the threads that the others would count on
  LocksAreHeld,       ///< by somebody, and other nodes could not tell
};
inline constexpr size_t reasons = size_t(StaysHere::LocksAreHeld) + 1;

struct RegionPlan {
  std::vector<uint32_t> by_node; ///< threads of each node; empty: all on this one
  uint32_t threads = 1;          ///< of the whole team
  uint32_t idle = 0; ///< those of them that only keep the team's size, all on this node; less than `threads`
  StaysHere stays = StaysHere::OneThread;
  uint32_t late = 0; ///< those, all on this node, that may begin when others have finished (team/late_members.hpp)

  bool could_travel = false; ///< it stays, and members could go on elsewhere (regions/travelling.hpp);
  bool travels = false;      ///< and may, in this visit

  uint32_t lent_to = 0; ///< the other node that all threads are on (regions/lending.hpp); 0: it is not lent

  bool spreads() const { return !by_node.empty(); }
  bool is_lent() const { return lent_to != 0; }
  bool stays_here() const { return !spreads() && !is_lent(); }
  /// Threads on the node that meets the region.
  uint32_t local_threads() const { return is_lent() ? 0 : spreads() ? by_node[0] : threads; }
};

/// Whether the region stays, whatever its loops need; No: deal_region() decides.
StaysHere why_it_stays(const RegionFacts& facts);

/// A region of `threads` threads, all on the node that meets it.
RegionPlan stay_here(uint32_t threads, StaysHere reason);

/// Of a region that may spread, whose loops need these nodes (process/withdrawal.hpp;
/// node 0 is always one of them): its threads are dealt to these by their CPUs. If only node 0 is needed, the
/// team keeps its size, unless dyn-var allows less, but threads for which the node has no CPU get no share of
/// loops.
RegionPlan deal_region(const RegionFacts& facts, NodeSet needed);

/// A region of `threads` threads, all on another node than that which meets it.
RegionPlan lend(uint32_t threads, uint32_t to);

/// The plan for a node that can have just `local_threads` threads of the region, which are not more than
/// planned. A region on several nodes stays here then, for every node computes how a team is dealt; one on
/// this node is smaller.
RegionPlan with_fewer_workers(const RegionPlan& plan, uint32_t local_threads);

} // namespace hetmp::runtime
