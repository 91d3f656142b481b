// What the leaders of a team's nodes do together. A team that runs on one node has no global level (a null pointer) and
// pays nothing for it. Two implementations: nodes inside one process (global/in_process.cpp), node processes
// (global/messages.cpp); both drive the same coordinator (global/coordinator.hpp), a pure state machine.
//
// Rules: every operation names the team and a sequence number that all its nodes count alike (each node increments its
// own counter at each construct, in program order). At most one thread of a node is inside a given (team, sequence)
// operation. Operations block the calling thread until the answer is there.
#pragma once

#include "runtime/core/icv.hpp"
#include "schedulers/schedule.hpp"

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t most_forwarded_arguments = 256;

/// Everything a node needs to run its part of a team. Sent by value; only the used arguments travel.
struct TeamDescription {
  uint64_t team = 0;           ///< unique in the program
  uint32_t node = 0;           ///< the node this copy is for
  uint32_t nodes = 1;          ///< nodes 0 .. nodes-1 take part, each with at least one thread
  uint32_t threads = 1;        ///< of the whole team
  uint32_t first_thread = 0;   ///< number of this node's first thread: numbers are contiguous within a node
  uint32_t local_threads = 1;  ///< on this node
  uint32_t level = 1;          ///< nesting level of the region
  uint32_t active_level = 1;
  TaskIcvs icvs;               ///< for the team's implicit tasks
  const void* source = nullptr;///< ident_t of the construct
  void* microtask = nullptr;   ///< the outlined function
  uint32_t argument_count = 0;
  void* arguments[most_forwarded_arguments];
};

/// A loop whose iterations are handed out on demand across nodes.
struct PoolShape {
  uint64_t trips = 0;
  schedulers::ScheduleKind kind = schedulers::ScheduleKind::Dynamic; ///< Dynamic or Guided
  uint64_t chunk = 1;
  uint32_t threads = 1; ///< of the whole team
};

/// Where a HetProbe loop stands on this visit; the same answer for every node of the team.
struct LoopPlan {
  enum class Action : uint8_t {
    Probe,    ///< run the probe share, then report_probe()
    Split,    ///< contiguous node shares by speed[]
    OneNode,  ///< all iterations on `only_node`
  };
  static constexpr uint32_t most_nodes = 64;
  Action action = Action::Probe;
  uint32_t only_node = 0;
  uint32_t nodes = 1;
  double speed[most_nodes] = {}; ///< core speed ratio of each node, slowest = 1 (Split)
};

/// What a node measured over its threads' equal probe shares.
struct ProbeReport {
  double mean_us = 0;        ///< elapsed, mean over the node's threads
  uint64_t faults = 0;       ///< DSM faults the node took meanwhile
  uint64_t iterations = 0;   ///< of the node's probe share
  uint32_t threads = 1;
  double busy_us = -1;       ///< CPU time, mean over the node's threads; negative = not known
};

/// Which loop, by content: equal on every node and on every visit.
struct LoopIdentity {
  const char* source;     ///< ident_t's source string (";file;function;line;column;;"), may be null
  const void* call_site;  ///< the address the loop was begun from; without -g all source strings are equal
};

class GlobalLevel {
public:
  virtual ~GlobalLevel() = default;

  /// Starts the part of a team on another node. Called by the team's primary thread.
  virtual void start(const TeamDescription& part) = 0;

  /// Waits until every node of the team is here; returns the bitwise OR of all nodes' words (copyprivate pointers,
  /// flags). Everything written before by any node is visible after.
  virtual uint64_t barrier(const TeamDescription& part, uint64_t sequence, uint64_t word) = 0;

  /// End of the region: node 0 waits for all others, the others do not wait.
  virtual void join(const TeamDescription& part, uint64_t sequence) = 0;

  /// The next batch of a loop for this node, at least enough for its threads while iterations are left; empty = done.
  virtual schedulers::Range fetch(const TeamDescription& part, uint64_t loop, const PoolShape& shape) = 0;

  /// `ordered` across nodes: waits until iteration `index` (counted from 0) of loop `loop` is the next one;
  /// post makes `next` the next one.
  virtual void ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) = 0;
  virtual void ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) = 0;

  /// HetProbe: what to do with this visit of the loop; then, if told to probe, the decision made from all reports.
  virtual LoopPlan plan_loop(const TeamDescription& part, uint64_t loop, const LoopIdentity& identity,
                             uint64_t trips) = 0;
  virtual LoopPlan report_probe(const TeamDescription& part, uint64_t loop, const ProbeReport& report) = 0;

  /// Mutual exclusion between nodes for the lock or critical section at `key` (an address that means the same on all
  /// nodes). Called by at most one thread of a node at a time per key; local threads queue before (core/node_lock).
  virtual void lock(uint64_t key) = 0;
  /// lock() if no node holds it now; whether it was taken.
  virtual bool try_lock(uint64_t key) = 0;
  virtual void unlock(uint64_t key) = 0;
};

} // namespace hetmp::runtime
