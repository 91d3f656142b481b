// The team barrier: the threads of a node meet, the last one to arrive speaks to the other nodes, then lets all go.
#pragma once

#include "runtime/core/node_team.hpp"

namespace hetmp::runtime {

/// Threads of one node meet. The last to arrive runs `last` while the others wait: everything they wrote before is
/// visible to it, and everything it writes is visible to them afterwards.
template <class Last>
void local_barrier(NodeTeam& team, Last&& last) {
  const uint32_t seen = team.released.epoch(); // cannot move before this thread has arrived
  // acq_rel: a release sequence through all arrivals; the last one acquires them all.
  if (team.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == team.local_threads()) {
    team.arrived.store(0, std::memory_order_relaxed); // published by the post
    last();
    team.released.post();
  } else {
    team.released.wait_while(seen);
  }
}

/// The whole team meets. `site`: the place in the program, the same on all nodes; null: unknown.
void team_barrier(ImplicitTask& task, const void* site = nullptr);

/// The whole team meets; returns the bitwise OR of all threads' words.
uint64_t team_barrier_with_word(ImplicitTask& task, uint64_t word);

} // namespace hetmp::runtime
