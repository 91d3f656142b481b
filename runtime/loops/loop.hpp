// Loops whose iterations are handed out while they run (every schedule but the ones the compiler divides itself).
//
// A thread begins a loop, takes chunks until there are none, and has then left it. Iterations are counted from 0; the
// entry points translate to the program's types. All threads of a team meet the same loops in the same order, but need
// not be in the same one: up to NodeTeam::loop_ring loops can be under way at once.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <optional>

namespace hetmp::runtime {

struct ImplicitTask;
struct LoopBuffer;
struct LoopIdentity;
struct NodeTeam;

struct LoopRequest {
  schedulers::Schedule schedule;
  uint64_t trips = 0;
  bool ordered = false;            ///< the loop contains an ordered region
  const char* source = nullptr;    ///< ident_t's source string
  const void* call_site = nullptr; ///< the address the program began the loop from
  bool in_batches = false;         ///< dynamic: the caller executes several chunks that follow each other as one
  bool equal_shares = false; ///< static: nobody places it, since the compiler itself divides others like it equally
};

/// Only the task's own thread calls these.
void begin_loop(ImplicitTask& task, const LoopRequest& request);

/// The next chunk in `chunk`; false when the thread has had its last one. May be called again after that.
bool next_chunk(ImplicitTask& task, schedulers::Range& chunk);

/// The thread leaves a loop before its end, if it is in one: what is left for it, and what its node can give out, is
/// not executed, so that the loop is over when all threads have left it. Not an ordered one.
void abandon_loop(ImplicitTask& task);

/// When all threads have left a region in which they have met different loops. Its members count alike again.
void restart_loops(NodeTeam& team);

/// Starts or ends the ordered region of the iteration in hand; nothing happens outside an ordered loop.
void begin_ordered(ImplicitTask& task);
void end_ordered(ImplicitTask& task);
/// An iteration of an ordered loop is over.
void finish_ordered_iteration(ImplicitTask& task);

/// The calling thread's share of a loop that the compiler divides itself: schedule(static) without a chunk. The thread
/// calls end_static_loop() when it has executed it. All static loops of a region with as many iterations are divided
/// alike, as the specification promises (OpenMP 5.1, section 2.11.4).
schedulers::Range begin_static_loop(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity);
void end_static_loop(ImplicitTask& task);

// ---- for the parts of this room that implement schedules

LoopBuffer& buffer_of(ImplicitTask& task);

/// Loops that a policy places on several nodes (placed_loop.cpp).
bool next_placed_chunk(ImplicitTask& task, schedulers::Range& chunk);
void reset_placed_loop(ImplicitTask& task, LoopBuffer& buffer);
/// What the node has of such a loop, and the thread of that, is not executed.
void drop_placed_chunks(ImplicitTask& task, LoopBuffer& buffer);

/// Local thread `local`'s contiguous share of a loop that nobody places, by the core speeds the user has given
/// (static_loop.cpp).
schedulers::Range unplaced_share(const NodeTeam& team, uint64_t trips, uint32_t local);
/// The node's part of a static loop that nobody places by itself, if loops of the region with as many iterations are
/// placed; null: unplaced_share() holds, for those that follow as well.
std::optional<schedulers::Range> part_like_others(ImplicitTask& task, uint64_t trips, const LoopIdentity& identity);
/// Local thread `local`'s share of what its node has of a static loop.
schedulers::Range share_of_part(const NodeTeam& team, schedulers::Range part, uint32_t local);
/// The calling thread begins such a loop, which runs on all of the team's nodes.
void note_unplaced_loop(NodeTeam& team, const void* call_site);

/// Keeps the chunks of an ordered loop in order (ordered.cpp).
void open_ordered_chunk(ImplicitTask& task, schedulers::Range chunk, uint64_t predecessor_end);
void close_ordered_chunk(ImplicitTask& task);

} // namespace hetmp::runtime
