// Reductions that tasks take part in, as gcc compiles them. The program's own code initialises the copies of variables
// and folds them; the runtime allocates them, a chunk for each thread of the team, and finds a thread's copy of a
// variable.
//
// Both sides know tables of words, made by the compiler on the program's stack:
//   [0] entries  [1] bytes of a chunk  [2] alignment of the chunks, later their address  [3] allocator, unused
//   [4] next table, 0: none  [5] unused  [6] end of the chunks
//   [7 + 3 * entry] variable, offset of its copy in a chunk, unused; in the order of offsets
// One construct may have several tables. When they have chunks, the last one is linked to the tables around the
// construct.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

/// Chunks of zeros for `threads` threads, for all tables of a construct, in the heap that nodes share. Ends the program
/// when there is no memory.
void* allocate_chunks(const uintptr_t* tables, uint32_t threads);

/// The construct's tables have their chunks at `memory`, as allocated with the same tables and `threads`; `outer` are
/// the tables around it, or null.
void attach_chunks(uintptr_t* tables, void* memory, uint32_t threads, uintptr_t* outer);

/// Of all tables of the construct.
void free_chunks(const uintptr_t* tables);

/// The program learns that the construct's tables have got no chunks.
void forget_chunks(uintptr_t* tables);

/// Replaces each of `count` pointers, to variables or to copies of them, by a pointer to the copy of thread `thread`;
/// for the first `originals` of them pointers[count + i] becomes the variable. Returns count, or else the number of the
/// first one that no table has.
size_t find_copies(const uintptr_t* tables, uint32_t thread, size_t count, size_t originals, void** pointers);

/// The same in the tables of the present taskgroup of the thread that executes `implicit`, for that thread.
size_t find_copies(ImplicitTask& implicit, size_t count, size_t originals, void** pointers);

/// For the present taskgroup.
void begin_mapped_reductions(Thread& self, uintptr_t* tables);

/// Begins a taskgroup whose chunks are the team's: each of its threads calls it with equal tables of its own.
void begin_mapped_team_reductions(Thread& self, uintptr_t* tables);
/// Ends it. `cancelled`: so is the construct, and the threads do not meet.
void end_mapped_team_reductions(Thread& self, bool cancelled);

} // namespace hetmp::runtime
