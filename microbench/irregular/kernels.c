#include "kernels.h"

#include "../common/benchmark.h"

enum { BLOCK = 5 };

static const uint32_t LAST_PLACE = (UINT32_C(1) << WALK_PLACES_LOG2) - 1;

/* A linear congruential step modulo 2^WALK_PLACES_LOG2: with an odd increment and a factor of 1 modulo 4 it
 * visits every place once before it comes back. */
static const uint32_t FACTOR = 1664525, INCREMENT = 1013904223;

/* Bits without visible pattern from the number of a draw (the finalizer of SplitMix64). */
static uint64_t scramble(uint64_t number) {
  uint64_t bits = number * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 31);
}

static uint64_t draw_number(long iteration, long visit) {
  return scramble(((uint64_t)visit << 40) ^ (uint64_t)iteration);
}

static long greatest_common_divisor(long a, long b) {
  while (b != 0) {
    const long rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Memory make_memory(long iterations, long columns) {
  Memory memory = {.links = benchmark_allocate((size_t)LAST_PLACE + 1, sizeof(uint32_t)),
                   .cells = benchmark_allocate((size_t)iterations * (size_t)columns, CELL_WORDS * sizeof(uint64_t)),
                   .iterations = iterations,
                   .columns = columns,
                   .stride = (long)(0.618 * (double)iterations) + 1};
  while (greatest_common_divisor(memory.stride, iterations) != 1)
    ++memory.stride;
  for (uint32_t place = 0; place <= LAST_PLACE; ++place)
    memory.links[place] = (FACTOR * place + INCREMENT) & LAST_PLACE;
  for (long i = 0; i < iterations * columns * CELL_WORDS; ++i)
    memory.cells[i] = 0;
  return memory;
}

void free_memory(Memory* memory) {
  free(memory->links);
  free(memory->cells);
}

uint64_t* cell_of(const Memory* memory, long iteration, long column) {
  const long row = (long)((__int128)iteration * memory->stride % memory->iterations);
  return memory->cells + (column * memory->iterations + row) * CELL_WORDS;
}

static uint32_t first_place(long iteration, long visit) { return (uint32_t)draw_number(iteration, visit) & LAST_PLACE; }

uint64_t run_cache_bound(const Memory* memory, long iteration, long visit, long work) {
  uint32_t place = first_place(iteration, visit);
  for (long step = 0; step < work * WALK_STEPS; ++step)
    place = memory->links[place];
  for (long column = 0; column < memory->columns; ++column)
    *cell_of(memory, iteration, column) += (uint64_t)place + 1;
  return (uint64_t)place + 1;
}

/* All the steps at once: squares of the step are steps of twice the length. */
uint64_t expected_cache_bound(long iteration, long visit, long work) {
  uint32_t place = first_place(iteration, visit);
  uint32_t factor = FACTOR, increment = INCREMENT;
  for (long steps = work * WALK_STEPS; steps != 0; steps >>= 1) {
    if (steps & 1)
      place = factor * place + increment;
    increment *= factor + 1;
    factor *= factor;
  }
  return (uint64_t)(place & LAST_PLACE) + 1;
}

static uint64_t first_system(long iteration, long visit) {
  return draw_number(iteration, visit) & ((UINT64_C(1) << 60) - 1);
}

/* Component `row` of the solution of a system, 0 to 15. */
static int solution(uint64_t bits, int row) { return (int)(bits >> (4 * row) & 15); }

/* The matrix is small whole numbers, its diagonal larger than the rest of a row together, so elimination
 * needs no pivots and rounding errors stay far below one half; the right side is exact. */
static void make_system(uint64_t number, double matrix[BLOCK][BLOCK], double side[BLOCK]) {
  const uint64_t answer = scramble(number);
  uint64_t bits = scramble(~number);
  for (int row = 0; row < BLOCK; ++row) {
    side[row] = 0.0;
    for (int column = 0; column < BLOCK; ++column) {
      matrix[row][column] = row == column ? 37.0 : (double)(bits & 7) - 3.5;
      bits = row == column ? bits : bits >> 3;
      side[row] += matrix[row][column] * solution(answer, column);
    }
  }
}

static void eliminate(double matrix[BLOCK][BLOCK], double side[BLOCK]) {
  for (int pivot = 0; pivot < BLOCK; ++pivot) {
    const double scale = 1.0 / matrix[pivot][pivot];
    for (int row = pivot + 1; row < BLOCK; ++row) {
      const double factor = matrix[row][pivot] * scale;
      for (int column = pivot + 1; column < BLOCK; ++column)
        matrix[row][column] -= factor * matrix[pivot][column];
      side[row] -= factor * side[pivot];
    }
  }
}

static void substitute_back(double matrix[BLOCK][BLOCK], double side[BLOCK]) {
  for (int row = BLOCK - 1; row >= 0; --row) {
    for (int column = row + 1; column < BLOCK; ++column)
      side[row] -= matrix[row][column] * side[column];
    side[row] /= matrix[row][row];
  }
}

uint64_t run_compute_bound(long iteration, long visit, long work) {
  const uint64_t first = first_system(iteration, visit);
  uint64_t sum = 0;
  for (long block = 0; block < work * SOLVED_BLOCKS; ++block) {
    double matrix[BLOCK][BLOCK], side[BLOCK];
    make_system(first + (uint64_t)block, matrix, side);
    eliminate(matrix, side);
    substitute_back(matrix, side);
    for (int row = 0; row < BLOCK; ++row)
      sum += (uint64_t)(row + 1) * (uint64_t)(int64_t)(side[row] + 0.5);
  }
  return sum;
}

uint64_t expected_compute_bound(long iteration, long visit, long work) {
  const uint64_t first = first_system(iteration, visit);
  uint64_t sum = 0;
  for (long block = 0; block < work * SOLVED_BLOCKS; ++block) {
    const uint64_t answer = scramble(first + (uint64_t)block);
    for (int row = 0; row < BLOCK; ++row)
      sum += (uint64_t)(row + 1) * (uint64_t)solution(answer, row);
  }
  return sum;
}
