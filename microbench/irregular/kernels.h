/* The two kinds of iterations of the irregular loop. Both compute whole numbers, so every schedule must give
 * the same sums, and for both a closed form says which. They are not inlined into the loop: clang (16, at
 * -O2) takes the iterations of a schedule(runtime) loop for independent, its reduction included, and what
 * stores and reduces in one loop may not be there for it to vectorize. */
#pragma once

#include <stdint.h>

enum {
  WALK_PLACES_LOG2 = 20, /* links: 4 MiB, more than a core's own cache */
  WALK_STEPS = 52,       /* of a cache-bound iteration, per unit of work: about a microsecond each, */
  SOLVED_BLOCKS = 7      /* as the blocks of a compute-bound one */
};

/* The memory of the cache-bound iterations. */
typedef struct {
  uint32_t* links; /* one cycle through all places; only read */
  uint64_t* cells; /* `columns` columns, one after the other, each with a cell for every iteration */
  long iterations;
  long columns; /* the cells, each in another column, that an iteration adds to */
  long stride;  /* without a common factor with `iterations`; see cell_row */
} Memory;

/* Ends the program without memory. */
Memory make_memory(long iterations, long columns);
void free_memory(Memory* memory);

/* The row of an iteration's cells in each column. The rows of iterations that follow each other lie far
 * apart, so that whichever way iterations are divided, every page of the cells is written by every part. */
long cell_row(const Memory* memory, long iteration);

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
