// What the leaders of a team's nodes do together. A team that runs on one node has no global level (a null pointer) and
// pays nothing for it. Two implementations: nodes inside one process (global/in_process.cpp), node processes
// (global/messages.cpp); both drive the same coordinator (global/coordinator.hpp), a pure state machine.
//
// Rules: every operation names the team and a sequence number that all its nodes count alike (each node increments its
// own counter at each construct, in program order). At most one thread of a node is inside a given (team, sequence)
// operation. Operations block the calling thread until the answer is there.
#pragma once

#include "runtime/global/handover.hpp"
#include "runtime/global/team_description.hpp"
#include "schedulers/policies/policy.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// Which loop, by content: equal on every node and on every visit.
struct LoopIdentity {
  const char* source;    ///< ident_t's source string (";file;function;line;column;;"), may be null
  const void* call_site; ///< the address the loop was begun from; without -g all source strings are equal
};

/// A node's question about a loop it is in.
struct LoopQuestion {
  LoopIdentity identity;
  schedulers::Schedule schedule; ///< Static = a loop that the compiler divides, placed all the same
  uint64_t trips = 0;
  schedulers::NodeMeasurement done; ///< since the node's last question
};

class GlobalLevel {
 public:
  virtual ~GlobalLevel() = default;

  /// Starts the part of a team on another node. Called by the team's primary thread.
  virtual void start(const TeamDescription& part) = 0;

  /// Waits until every node of the team is here; the answer has the bitwise OR of all nodes' words (copyprivate
  /// pointers, flags). Everything written before by any node is visible after. `site`: the place in the program, or
  /// null. A node that still has tasks may give this one some while it waits.
  virtual NodesMeeting barrier(const TeamDescription& part, uint64_t sequence, uint64_t word,
                               const void* site = nullptr) = 0;

  /// How many nodes of the team wait at a barrier.
  virtual uint32_t idle_nodes(const TeamDescription& part) = 0;
  /// Offers tasks of this node to one that waits at a barrier of the team. Nobody waits for the answer: each task comes
  /// back, executed or not, through come_back()
  /// (tasking/away_tasks.hpp).
  virtual void offer_tasks(const TeamDescription& part, const Handover& tasks) = 0;
  /// A task that node `origin` handed over has been executed here, its descendants as well, in that time.
  virtual void return_task(const TeamDescription& part, uint32_t origin, uint32_t slot, uint64_t nanoseconds) = 0;

  /// End of the region: node 0 waits for all others, the others do not wait. `unplaced`: the region had loops that are
  /// divided without asking, so nobody knows which nodes they need.
  virtual void join(const TeamDescription& part, uint64_t sequence, bool unplaced) = 0;

  /// What this node does next with a loop (schedulers/policies/policy.hpp). May take until other nodes have come, or
  /// need help.
  virtual schedulers::Assignment ask_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) = 0;
  /// What this node measured over its last assignment, if it was to. Nobody waits for it.
  virtual void report_loop(const TeamDescription& part, uint64_t loop, const LoopQuestion& question) = 0;

  // A reduction: the other nodes' leaders offer their copies, node 0's combines them with its own, in the order of
  // nodes.

  /// Nodes other than 0. `copies`: an array of pointers to them, one for each variable, the same on every node. With
  /// `waits` it returns when node 0 needs them no more; otherwise at once, and they must stay until the team has met.
  virtual void offer_copies(const TeamDescription& part, uint64_t sequence, void* copies, uint32_t variables,
                            bool waits) = 0;
  /// Node 0: the copies of `node`, when they are there. Asked for in ascending order; asking for the next says that the
  /// one before has been combined.
  virtual void* take_copies(const TeamDescription& part, uint64_t sequence, uint32_t node) = 0;
  /// Node 0: all are combined. Nothing is waited for.
  virtual void release_copies(const TeamDescription& part, uint64_t sequence) = 0;

  /// `ordered` across nodes: waits until iteration `index` (counted from 0) of loop `loop` is the next one;
  /// post makes `next` the next one.
  virtual void ordered_wait(const TeamDescription& part, uint64_t loop, uint64_t index) = 0;
  virtual void ordered_post(const TeamDescription& part, uint64_t loop, uint64_t next) = 0;

  /// Mutual exclusion between nodes for the lock or critical section at `key` (an address that means the same on all
  /// nodes). Called by at most one thread of a node at a time per key; local threads queue before (core/node_lock).
  virtual void lock(uint64_t key) = 0;
  /// lock() if no node holds it now; whether it was taken.
  virtual bool try_lock(uint64_t key) = 0;
  virtual void unlock(uint64_t key) = 0;
};

} // namespace hetmp::runtime
