// Parallel regions: how a team is formed, runs and ends.
#pragma once

#include "runtime/process/invoke.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct Thread;

/// Runs `microtask` by a team whose primary is `self`; returns when all threads are done. The size of the team comes
/// from `self`'s pushed num_threads clause, its ICVs and the limits. Only the calling thread.
void fork_team(Thread& self, const void* source, void* microtask, uint32_t count, void* const* arguments,
               Invoker invoke = invoke_microtask);

/// A region on this node whose first part the caller executes itself, between the two. They nest like other regions.
void begin_open_region(Thread& self, void* microtask, uint32_t count, void* const* arguments, Invoker invoke);
void end_open_region(Thread& self);

/// A region of one thread that the caller executes itself (if(false), or nesting beyond the limit). `requested`:
/// threads that a clause asks for; 0: none does. `invoke`: by what its code would be called if there were more.
void begin_serial_region(Thread& self, const void* source, uint32_t requested = 0, Invoker invoke = invoke_microtask);
void end_serial_region(Thread& self);

} // namespace hetmp::runtime
