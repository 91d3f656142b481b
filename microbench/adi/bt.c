/* A solver after NAS BT: each line is a block tridiagonal system of 5 x 5 blocks.
 *
 * Usage: bt [class]     S: 16^3 points, 20 steps, W: 32^3, 30, A: 64^3, 30, B: 64^3, 120 */
#include "../common/benchmark.h"
#include "adi.h"

enum { N = ADI_COMPONENTS };

static const AdiClass CLASSES[] = {{'S', 16, 20, 4.485419376296410e+00},
                                   {'W', 32, 30, 4.474571678974938e+00},
                                   {'A', 64, 30, 4.471873165640512e+00},
                                   {'B', 64, 120, 4.397735231992011e+00}};

typedef struct {
  double at[N][N];
} Block;

/* How the components of a point act on each other in the system, by what the state is there. */
static Block coupling(const AdiPoint* state, double diagonal, double factor) {
  Block block;
  for (int r = 0; r < N; ++r)
    for (int c = 0; c < N; ++c)
      block.at[r][c] = (r == c ? diagonal : 0.0) + factor * state->value[(r + c) % N] / (1 + r + c);
  return block;
}

/* block -= left * right, side -= left * vector */
static void eliminate(Block* block, AdiPoint* side, const Block* left, const Block* right, const AdiPoint* vector) {
  for (int r = 0; r < N; ++r)
    for (int k = 0; k < N; ++k) {
      for (int c = 0; c < N; ++c)
        block->at[r][c] -= left->at[r][k] * right->at[k][c];
      side->value[r] -= left->at[r][k] * vector->value[k];
    }
}

/* `upper` and `side` become the inverse of `block` times themselves. The diagonal outweighs the rest: no pivots. */
static void divide_by(Block* block, Block* upper, AdiPoint* side) {
  for (int pivot = 0; pivot < N; ++pivot) {
    const double inverse = 1.0 / block->at[pivot][pivot];
    for (int c = pivot + 1; c < N; ++c)
      block->at[pivot][c] *= inverse;
    for (int c = 0; c < N; ++c)
      upper->at[pivot][c] *= inverse;
    side->value[pivot] *= inverse;
    for (int r = 0; r < N; ++r) {
      if (r == pivot)
        continue;
      const double factor = block->at[r][pivot];
      for (int c = pivot + 1; c < N; ++c)
        block->at[r][c] -= factor * block->at[pivot][c];
      for (int c = 0; c < N; ++c)
        upper->at[r][c] -= factor * upper->at[pivot][c];
      side->value[r] -= factor * side->value[pivot];
    }
  }
}

static void solve_line(const AdiPoint* state, AdiPoint* side, int points) {
  Block upper[ADI_LONGEST];
  for (int i = 0; i < points; ++i) {
    Block diagonal = coupling(&state[i], 1.2, 0.01);
    upper[i] = coupling(&state[i], -0.1, 0.001);
    if (i > 0) {
      const Block lower = coupling(&state[i - 1], -0.1, 0.001);
      eliminate(&diagonal, &side[i], &lower, &upper[i - 1], &side[i - 1]);
    }
    divide_by(&diagonal, &upper[i], &side[i]);
  }
  for (int i = points - 2; i >= 0; --i)
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < N; ++c)
        side[i].value[r] -= upper[i].at[r][c] * side[i + 1].value[c];
}

int main(int argc, char** argv) {
  return adi_run("bt", &CLASSES[benchmark_class_index(argc, argv, "SWAB")], solve_line);
}
