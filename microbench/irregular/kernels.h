/* The two kinds of iterations of the irregular loop. Both compute whole numbers, so every schedule must give
 * the same sums, and for both a closed form says which. They are not inlined into the loop: clang (16, at
 * -O2) takes the iterations of a schedule(runtime) loop for independent, its reduction included, and what
 * stores and reduces in one loop may not be there for it to vectorize. */
#pragma once

#include <stdint.h>

enum {
  CELL_WORDS = 32,       /* 256 bytes: 16 iterations share a page */
  WALK_PLACES_LOG2 = 15, /* links: 128 KiB, beyond a core's first cache; more would measure its neighbours */
  WALK_STEPS = 320,      /* of a cache-bound iteration, per unit of work: about a microsecond of a core of 2020, */
  SOLVED_BLOCKS = 33     /* as the blocks of a compute-bound one */
};

/* The memory of the cache-bound iterations. */
typedef struct {
  uint32_t* links; /* one cycle through all places; only read */
  uint64_t* cells; /* `columns` columns, one after the other, each with a cell for every iteration */
  long iterations;
  long columns; /* the cells, each in another column, that an iteration adds to */
  long stride;  /* without a common factor with `iterations`; see cell_of */
} Memory;

/* Ends the program without memory. */
Memory make_memory(long iterations, long columns);
void free_memory(Memory* memory);

/* An iteration's cell in a column. The cells of iterations that
 * follow each other lie far apart, so that whichever way iterations are divided, every page of the cells is
 * written by every part. */
uint64_t* cell_of(const Memory* memory, long iteration, long column);

/* Cache-bound: follows `work` x WALK_STEPS links, each read waiting for the one before, and adds the place
 * where it ends to the iteration's cells. Returns that place + 1. Where memory is not coherent nearly every
 * cell costs a fault while several nodes take part. */
uint64_t run_cache_bound(const Memory* memory, long iteration, long visit, long work);

/* Compute-bound: solves `work` x SOLVED_BLOCKS systems of five linear equations with known whole solutions,
 * as block solvers of fluid dynamics do, in registers and on the stack; returns the sum of the solutions
 * found, rounded. */
uint64_t run_compute_bound(long iteration, long visit, long work);

/* What they must return. */
uint64_t expected_cache_bound(long iteration, long visit, long work);
uint64_t expected_compute_bound(long iteration, long visit, long work);
