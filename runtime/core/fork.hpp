// Parallel regions: how a team is formed, runs and ends.
#pragma once

#include "runtime/core/node_team.hpp"

namespace hetmp::runtime {

/// Runs `microtask` by a team whose primary is `self`; returns when all threads are done. The size of the team comes
/// from `self`'s pushed num_threads clause, its ICVs and the limits. Only the calling thread.
void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke = invoke_microtask);

/// The size of the team that fork_team() would form, or more: limits make it smaller.
uint32_t most_threads_of_next_team(const Thread& self);

/// A region on this node whose first part the caller executes itself, between the two. They nest like other regions.
void begin_open_region(Thread& self, void* microtask, uint32_t count, void* const* arguments, Invoker invoke);
void end_open_region(Thread& self);

/// A region of one thread that the caller executes itself (if(false), or nesting beyond the limit).
void begin_serial_region(Thread& self, const void* source);
void end_serial_region(Thread& self);

/// Runs this node's part of a team that another node's thread started, with the calling thread as its first one.
/// Returns after the global join. The calling thread should be one that does nothing else.
void run_node_part(const TeamDescription& part);

/// Has a worker of node `part.node` inside this process run the part; returns at once. Ends the program if there is no
/// thread for it: the other nodes already count on this one.
void launch_node_part(const TeamDescription& part);

/// For a forked child.
void forget_residents();

/// Executes the job a worker has just been given.
void work(Thread& worker);

} // namespace hetmp::runtime
