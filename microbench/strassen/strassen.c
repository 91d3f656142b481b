/* The product of two matrices by Strassen's recursion (Numerische Mathematik 13, 1969): seven tasks for a product of
 * halves, each of which is one of the same kind. They read what their parent has, and write matrices of their own.
 *
 * Usage: strassen [class]     S: 256 rows, W: 1024, A: 2048, B: 4096 */
#include "../common/benchmark.h"

typedef struct {
  char name;
  int rows;
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 256}, {'W', 1024}, {'A', 2048}, {'B', 4096}};
enum { SMALL = 128 }; /* rows that are multiplied as they are */

/* A square part of a matrix with rows of `stride` elements. */
typedef struct {
  double* at;
  int stride;
} Part;

static Part quarter(Part of, int rows, int down, int right) {
  return (Part){of.at + (size_t)down * rows / 2 * of.stride + right * rows / 2, of.stride};
}

static Part make(int rows) { return (Part){benchmark_allocate((size_t)rows * rows, sizeof(double)), rows}; }

static void multiply_small(int rows, Part a, Part b, Part c) {
  for (int i = 0; i < rows; ++i) {
    double* const to = c.at + (size_t)i * c.stride;
    for (int j = 0; j < rows; ++j)
      to[j] = 0;
    for (int k = 0; k < rows; ++k) {
      const double factor = a.at[(size_t)i * a.stride + k];
      const double* const from = b.at + (size_t)k * b.stride;
      for (int j = 0; j < rows; ++j)
        to[j] += factor * from[j];
    }
  }
}

/* A new part: a + sign * b. */
static Part sum(int rows, Part a, Part b, double sign) {
  const Part c = make(rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      c.at[(size_t)i * rows + j] = a.at[(size_t)i * a.stride + j] + sign * b.at[(size_t)i * b.stride + j];
  return c;
}

static void multiply(int rows, Part a, Part b, Part c) {
  if (rows <= SMALL) {
    multiply_small(rows, a, b, c);
    return;
  }
  const int half = rows / 2;
  const Part a11 = quarter(a, rows, 0, 0), a12 = quarter(a, rows, 0, 1), a21 = quarter(a, rows, 1, 0),
             a22 = quarter(a, rows, 1, 1), b11 = quarter(b, rows, 0, 0), b12 = quarter(b, rows, 0, 1),
             b21 = quarter(b, rows, 1, 0), b22 = quarter(b, rows, 1, 1);
  Part products[7];
  for (int i = 0; i < 7; ++i)
    products[i] = make(half);
#pragma omp task
  {
    const Part x = sum(half, a11, a22, 1), y = sum(half, b11, b22, 1);
    multiply(half, x, y, products[0]);
    free(x.at);
    free(y.at);
  }
#pragma omp task
  {
    const Part x = sum(half, a21, a22, 1);
    multiply(half, x, b11, products[1]);
    free(x.at);
  }
#pragma omp task
  {
    const Part y = sum(half, b12, b22, -1);
    multiply(half, a11, y, products[2]);
    free(y.at);
  }
#pragma omp task
  {
    const Part y = sum(half, b21, b11, -1);
    multiply(half, a22, y, products[3]);
    free(y.at);
  }
#pragma omp task
  {
    const Part x = sum(half, a11, a12, 1);
    multiply(half, x, b22, products[4]);
    free(x.at);
  }
#pragma omp task
  {
    const Part x = sum(half, a21, a11, -1), y = sum(half, b11, b12, 1);
    multiply(half, x, y, products[5]);
    free(x.at);
    free(y.at);
  }
#pragma omp task
  {
    const Part x = sum(half, a12, a22, -1), y = sum(half, b21, b22, 1);
    multiply(half, x, y, products[6]);
    free(x.at);
    free(y.at);
  }
#pragma omp taskwait
  const Part c11 = quarter(c, rows, 0, 0), c12 = quarter(c, rows, 0, 1), c21 = quarter(c, rows, 1, 0),
             c22 = quarter(c, rows, 1, 1);
  for (int i = 0; i < half; ++i)
    for (int j = 0; j < half; ++j) {
      double m[7];
      for (int k = 0; k < 7; ++k)
        m[k] = products[k].at[(size_t)i * half + j];
      c11.at[(size_t)i * c.stride + j] = m[0] + m[3] - m[4] + m[6];
      c12.at[(size_t)i * c.stride + j] = m[2] + m[4];
      c21.at[(size_t)i * c.stride + j] = m[1] + m[3];
      c22.at[(size_t)i * c.stride + j] = m[0] - m[1] + m[2] + m[5];
    }
  for (int i = 0; i < 7; ++i)
    free(products[i].at);
}

/* Some elements, against the sum of products that they are. */
static bool verify(int rows, Part a, Part b, Part c) {
  for (int sample = 0; sample < 64; ++sample) {
    const int i = (int)((long)sample * 1009 % rows), j = (int)((long)sample * 2003 % rows);
    double expected = 0;
    for (int k = 0; k < rows; ++k)
      expected += a.at[(size_t)i * rows + k] * b.at[(size_t)k * rows + j];
    if (!(fabs(c.at[(size_t)i * rows + j] - expected) < 1e-9 * rows))
      return false;
  }
  return true;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const int rows = class->rows;
  benchmark_report_start("strassen", class->name, benchmark_threads());
  const Part a = make(rows), b = make(rows), c = make(rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) {
      a.at[(size_t)i * rows + j] = (double)((i * 7 + j * 3) % 11) / 11;
      b.at[(size_t)i * rows + j] = (double)((i * 5 + j) % 13) / 13;
    }
  const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  multiply(rows, a, b, c);
  const double seconds = omp_get_wtime() - start;
  return benchmark_report_end(seconds, verify(rows, a, b, c));
}
