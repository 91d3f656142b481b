// The team barrier: the threads of a node meet, the last one to arrive speaks to the other nodes, then lets all go.
#pragma once

#include "runtime/global/node_regions.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct ImplicitTask;
struct NodeTeam;

/// The whole team meets. `site`: the place in the program, the same on all nodes; null: unknown.
void team_barrier(ImplicitTask& task, const void* site = nullptr);

/// The same by another thread in the name of the task's, which executes nothing of the program's meanwhile: tasks are
/// left to the others. False: it cannot, and has not.
bool team_barrier_by_other(ImplicitTask& task);

/// The same; the pointer of the one thread that brings one, as a number.
uint64_t team_barrier_with_pointer(ImplicitTask& task, const void* pointer);

/// What a word at a barrier is made of, besides a pointer. Where regions can be cancelled, threads that have gone to
/// the end of theirs stand in at the others' barriers for as long as one of those is inside (cancellation.hpp).
inline constexpr uint64_t inside_region = uint64_t(1) << 62;
inline constexpr uint64_t pointer_bits = (uint64_t(1) << 48) - 1;

/// The whole team meets; returns the bitwise OR of all threads' words.
uint64_t meet(ImplicitTask& task, uint64_t word, const void* site = nullptr);

/// The end of a region that other nodes take part in: node 0's primary waits for them, theirs do not wait.
NodeRegions::Seen join_nodes(NodeTeam& team, const NodeRegions::Seen& seen);

} // namespace hetmp::runtime
