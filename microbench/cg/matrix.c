#include "matrix.h"

#include "../common/benchmark.h"
#include "../common/npb_random.h"

#include <string.h>

/* All the vectors x_i, one after the other: vector i owns `stride` slots from i * stride, `length[i]` of them
 * used. */
typedef struct {
  int count, stride;
  int* length;
  int* index;
  double* value;
} SparseVectors;

static int smallest_power_of_two(int at_least) {
  int power = 1;
  while (power < at_least)
    power *= 2;
  return power;
}

static bool contains(const int* indices, int length, int wanted) {
  for (int i = 0; i < length; ++i)
    if (indices[i] == wanted)
      return true;
  return false;
}

/* `nonzeros` random values at distinct random places below `size`. A place beyond `size`, or one already
 * taken, is drawn again together with its value. */
static void draw_vector(uint64_t* random, int size, int nonzeros, int* index, double* value) {
  const int range = smallest_power_of_two(size);
  for (int length = 0; length < nonzeros;) {
    const double element = npb_random(random);
    const int place = (int)(range * npb_random(random));
    if (place >= size || contains(index, length, place))
      continue;
    index[length] = place;
    value[length] = element;
    ++length;
  }
}

/* Sets element `place` to `element`, whether or not it is there; returns the new length. */
static int set_element(int* index, double* value, int length, int place, double element) {
  for (int i = 0; i < length; ++i)
    if (index[i] == place) {
      value[i] = element;
      return length;
    }
  index[length] = place;
  value[length] = element;
  return length + 1;
}

static SparseVectors draw_vectors(int count, int nonzeros) {
  const int stride = nonzeros + 1;
  SparseVectors vectors = {count, stride, benchmark_allocate((size_t)count, sizeof(int)),
                           benchmark_allocate((size_t)count * (size_t)stride, sizeof(int)),
                           benchmark_allocate((size_t)count * (size_t)stride, sizeof(double))};
  uint64_t random = 314159265;
  npb_random(&random); /* the specification's program drops the first number */
  for (int i = 0; i < count; ++i) {
    int* index = vectors.index + (size_t)i * (size_t)stride;
    double* value = vectors.value + (size_t)i * (size_t)stride;
    draw_vector(&random, count, nonzeros, index, value);
    vectors.length[i] = set_element(index, value, nonzeros, i, 0.5);
  }
  return vectors;
}

static void free_vectors(SparseVectors* vectors) {
  free(vectors->length);
  free(vectors->index);
  free(vectors->value);
}

/* For each row, the slots of `vectors` whose index is that row, by rising vector: the products that row
 * needs. */
typedef struct {
  int* start; /* count + 1 entries */
  int* slot;
} SlotsByRow;

static SlotsByRow group_slots(const SparseVectors* vectors) {
  const int rows = vectors->count;
  int* start = benchmark_allocate((size_t)rows + 1, sizeof(int));
  memset(start, 0, ((size_t)rows + 1) * sizeof(int));
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < vectors->length[i]; ++k)
      ++start[vectors->index[i * vectors->stride + k] + 1];
  for (int row = 0; row < rows; ++row)
    start[row + 1] += start[row];

  int* slot = benchmark_allocate((size_t)start[rows], sizeof(int));
  int* next = benchmark_allocate((size_t)rows, sizeof(int));
  memcpy(next, start, (size_t)rows * sizeof(int));
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < vectors->length[i]; ++k) {
      const int here = i * vectors->stride + k;
      slot[next[vectors->index[here]]++] = here;
    }
  free(next);
  return (SlotsByRow){start, slot};
}

static int compare_columns(const void* left, const void* right) {
  const int a = *(const int*)left;
  const int b = *(const int*)right;
  return (a > b) - (a < b);
}

/* One row of the sum, spread out: sum[c] means something where last_row[c] is this row. */
typedef struct {
  double* sum;
  int* last_row;
  int* columns; /* those touched, in no order */
  int used;
} RowSum;

static void add_to_row(RowSum* accumulator, int row, int column, double value) {
  if (accumulator->last_row[column] != row) {
    accumulator->last_row[column] = row;
    accumulator->sum[column] = 0.0;
    accumulator->columns[accumulator->used++] = column;
  }
  accumulator->sum[column] += value;
}

static void sum_row(RowSum* accumulator, int row, const SparseVectors* vectors, const SlotsByRow* slots,
                    const double* weight, double diagonal) {
  accumulator->used = 0;
  for (int s = slots->start[row]; s < slots->start[row + 1]; ++s) {
    const int vector = slots->slot[s] / vectors->stride;
    const int first = vector * vectors->stride;
    const double scale = weight[vector] * vectors->value[slots->slot[s]];
    for (int k = first; k < first + vectors->length[vector]; ++k)
      add_to_row(accumulator, row, vectors->index[k], scale * vectors->value[k]);
  }
  add_to_row(accumulator, row, row, diagonal);
  qsort(accumulator->columns, (size_t)accumulator->used, sizeof(int), compare_columns);
}

/* An upper bound of the matrix' elements: all products, as if none fell on another. */
static size_t count_products(const SparseVectors* vectors) {
  size_t products = 0;
  for (int i = 0; i < vectors->count; ++i)
    products += (size_t)vectors->length[i] * (size_t)vectors->length[i];
  return products;
}

static double* geometric_weights(int count, double last) {
  double* weight = benchmark_allocate((size_t)count, sizeof(double));
  const double ratio = pow(last, 1.0 / count);
  double current = 1.0;
  for (int i = 0; i < count; ++i) {
    weight[i] = current;
    current *= ratio;
  }
  return weight;
}

static SparseMatrix sum_products(const SparseVectors* vectors, const SlotsByRow* slots, const double* weight,
                                 double diagonal) {
  const size_t rows = (size_t)vectors->count;
  const size_t bound = count_products(vectors);
  SparseMatrix matrix = {vectors->count, benchmark_allocate(rows + 1, sizeof(int)),
                         benchmark_allocate(bound, sizeof(int)), benchmark_allocate(bound, sizeof(double))};
  RowSum accumulator = {benchmark_allocate(rows, sizeof(double)), benchmark_allocate(rows, sizeof(int)),
                        benchmark_allocate(rows, sizeof(int)), 0};
  memset(accumulator.last_row, -1, rows * sizeof(int));
  int elements = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    matrix.row_start[row] = elements;
    sum_row(&accumulator, row, vectors, slots, weight, diagonal);
    for (int k = 0; k < accumulator.used; ++k, ++elements) {
      matrix.column[elements] = accumulator.columns[k];
      matrix.value[elements] = accumulator.sum[accumulator.columns[k]];
    }
  }
  matrix.row_start[matrix.rows] = elements;
  free(accumulator.sum);
  free(accumulator.last_row);
  free(accumulator.columns);
  return matrix;
}

SparseMatrix cg_make_matrix(int rows, int nonzeros, double condition, double shift) {
  SparseVectors vectors = draw_vectors(rows, nonzeros);
  SlotsByRow slots = group_slots(&vectors);
  double* weight = geometric_weights(rows, condition);
  SparseMatrix matrix = sum_products(&vectors, &slots, weight, condition - shift);
  free(weight);
  free(slots.start);
  free(slots.slot);
  free_vectors(&vectors);
  return matrix;
}

void cg_free_matrix(SparseMatrix* matrix) {
  free(matrix->row_start);
  free(matrix->column);
  free(matrix->value);
}
