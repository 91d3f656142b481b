/* LU decomposition in blocks, after Rodinia's lud: for each diagonal block the row and the column beside it, then
 * everything that remains. Regions shrink with every step, and what one thread writes others read in the next.
 *
 * Usage: lud [class]     S: order 512, W: 1536, A: 3072, B: 5120 */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { BLOCK = 32 };

typedef struct {
  char name;
  int order;
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 512}, {'W', 1536}, {'A', 3072}, {'B', 5120}};

typedef struct {
  int order;
  double* value; /* by rows */
} Matrix;

static double* row_of(const Matrix* matrix, int row) { return matrix->value + (long)row * matrix->order; }

/* Any element of the matrix that is decomposed; the diagonal outweighs the rest. */
static double element(int row, int column, int order) {
  return row == column ? order : (double)((row * 31L + column * 17L) % 101) / 101.0;
}

static void decompose_diagonal(Matrix* matrix, int first) {
  for (int k = first; k < first + BLOCK; ++k)
    for (int i = k + 1; i < first + BLOCK; ++i) {
      const double factor = row_of(matrix, i)[k] /= row_of(matrix, k)[k];
      for (int j = k + 1; j < first + BLOCK; ++j)
        row_of(matrix, i)[j] -= factor * row_of(matrix, k)[j];
    }
}

/* The rows beside the diagonal block, from column `column` on. */
static void solve_row_block(Matrix* matrix, int first, int column) {
  for (int k = first; k < first + BLOCK; ++k)
    for (int i = k + 1; i < first + BLOCK; ++i) {
      const double factor = row_of(matrix, i)[k];
      for (int j = column; j < column + BLOCK; ++j)
        row_of(matrix, i)[j] -= factor * row_of(matrix, k)[j];
    }
}

/* The columns below it, from row `row` on. */
static void solve_column_block(Matrix* matrix, int first, int row) {
  for (int i = row; i < row + BLOCK; ++i)
    for (int k = first; k < first + BLOCK; ++k) {
      const double factor = row_of(matrix, i)[k] /= row_of(matrix, k)[k];
      for (int j = k + 1; j < first + BLOCK; ++j)
        row_of(matrix, i)[j] -= factor * row_of(matrix, k)[j];
    }
}

/* What remains of `BLOCK` rows from `row` on. */
static void update_rows(Matrix* matrix, int first, int row) {
  for (int column = first + BLOCK; column < matrix->order; column += 4 * BLOCK) {
    const int end = column + 4 * BLOCK < matrix->order ? column + 4 * BLOCK : matrix->order;
    for (int i = row; i < row + BLOCK; ++i)
      for (int k = first; k < first + BLOCK; ++k) {
        const double factor = row_of(matrix, i)[k];
        double* restrict to = row_of(matrix, i);
        const double* restrict from = row_of(matrix, k);
        for (int j = column; j < end; ++j)
          to[j] -= factor * from[j];
      }
  }
}

static void decompose(Matrix* matrix) {
  const int order = matrix->order;
  for (int first = 0; first < order; first += BLOCK) {
    decompose_diagonal(matrix, first);
#pragma omp parallel for
    for (int at = first + BLOCK; at < order; at += BLOCK) {
      solve_row_block(matrix, first, at);
      solve_column_block(matrix, first, at);
    }
#pragma omp parallel for
    for (int row = first + BLOCK; row < order; row += BLOCK)
      update_rows(matrix, first, row);
  }
}

/* Whether L times U is the matrix, at some thousand elements. */
static bool is_right(const Matrix* matrix) {
  const int order = matrix->order;
  uint64_t random = 271828183;
  for (int sample = 0; sample < 2000; ++sample) {
    const int row = (int)(npb_random(&random) * order), column = (int)(npb_random(&random) * order);
    const int end = row <= column ? row : column + 1;
    double sum = row <= column ? row_of(matrix, row)[column] : 0.0;
    for (int k = 0; k < end; ++k)
      sum += row_of(matrix, row)[k] * row_of(matrix, k)[column];
    if (!(fabs(sum - element(row, column, order)) <= 1e-9 * order))
      return false;
  }
  return true;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const int order = class->order;
  Matrix matrix = {order, benchmark_allocate((size_t)order * (size_t)order, sizeof(double))};
  for (int i = 0; i < order; ++i)
    for (int j = 0; j < order; ++j)
      row_of(&matrix, i)[j] = element(i, j, order);
  benchmark_report_start("lud", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  decompose(&matrix);
  const double seconds = omp_get_wtime() - start;
  const bool right = is_right(&matrix);
  free(matrix.value);
  return benchmark_report_end(seconds, right);
}
