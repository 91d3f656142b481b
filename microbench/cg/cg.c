/* NAS CG: the inverse power method on a random sparse matrix, each step 25 iterations of conjugate gradients;
 * zeta estimates the smallest eigenvalue. Written from the specification (NAS Technical Report RNR-94-007).
 * Short loops with irregular reads of shared vectors, a barrier after each: it measures synchronization and
 * sharing.
 *
 * Usage: cg [class]     S: order 1400, W: 7000, A: 14000, B: 75000 */
#include "../common/benchmark.h"
#include "matrix.h"

enum { GRADIENT_STEPS = 25 };

static const double CONDITION = 0.1;

typedef struct {
  char name;
  int rows, nonzeros, power_steps;
  double shift;
  double zeta; /* the official result */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 1400, 7, 15, 10.0, 8.5971775078648},
    {'W', 7000, 8, 15, 12.0, 10.362595087124},
    {'A', 14000, 11, 15, 20.0, 17.130235054029},
    {'B', 75000, 13, 75, 60.0, 22.712745482631},
};

static const ProblemClass* find_class(char name) {
  const ProblemClass* class = CLASSES;
  while (class->name != name)
    ++class;
  return class;
}

typedef struct {
  double *x, *z;     /* the power method's vector, and the solution of A z = x */
  double *p, *q, *r; /* conjugate gradients: direction, A p, residual */
} Vectors;

static Vectors allocate_vectors(int rows) {
  double* vector[5];
  for (int i = 0; i < 5; ++i)
    vector[i] = benchmark_allocate((size_t)rows, sizeof(double));
  return (Vectors){vector[0], vector[1], vector[2], vector[3], vector[4]};
}

static void free_vectors(Vectors* vectors) {
  free(vectors->x);
  free(vectors->z);
  free(vectors->p);
  free(vectors->q);
  free(vectors->r);
}

/* result = A * vector. All threads of a team call it together; they leave it together. */
static void multiply(const SparseMatrix* matrix, const double* restrict vector, double* restrict result) {
#pragma omp for schedule(runtime)
  for (int row = 0; row < matrix->rows; ++row) {
    double sum = 0.0;
    for (int k = matrix->row_start[row]; k < matrix->row_start[row + 1]; ++k)
      sum += matrix->value[k] * vector[matrix->column[k]];
    result[row] = sum;
  }
}

/* Solves A z = x approximately, starting from z = 0; returns the norm of x - A z.
 * Each `single` sets the sums of the coming loops. The barrier before it lies after every use of the old
 * values, the barrier behind it before every addition to the new.
 *
 * No loop both reduces and stores doubles: clang (16, at -O2) takes the iterations of a schedule(runtime)
 * loop for independent, the private copy of the reduction included, and where a store may alias that copy it
 * vectorizes the loop and loses additions. */
static double solve(const SparseMatrix* matrix, Vectors vectors) {
  const int rows = matrix->rows;
  double *x = vectors.x, *z = vectors.z, *p = vectors.p, *q = vectors.q, *r = vectors.r;
  double rho = 0.0, previous_rho = 0.0, curvature = 0.0, residual = 0.0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < rows; ++i) {
      z[i] = 0.0;
      r[i] = p[i] = x[i];
    }
#pragma omp for schedule(runtime) reduction(+ : rho)
    for (int i = 0; i < rows; ++i)
      rho += x[i] * x[i];
    for (int step = 0; step < GRADIENT_STEPS; ++step) {
#pragma omp single
      {
        previous_rho = rho;
        rho = curvature = 0.0;
      }
      multiply(matrix, p, q);
#pragma omp for schedule(runtime) reduction(+ : curvature)
      for (int i = 0; i < rows; ++i)
        curvature += p[i] * q[i];
      const double alpha = previous_rho / curvature;
#pragma omp for schedule(runtime)
      for (int i = 0; i < rows; ++i) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
#pragma omp for schedule(runtime) reduction(+ : rho)
      for (int i = 0; i < rows; ++i)
        rho += r[i] * r[i];
      const double beta = rho / previous_rho;
#pragma omp for schedule(runtime)
      for (int i = 0; i < rows; ++i)
        p[i] = r[i] + beta * p[i];
    }
    multiply(matrix, z, q);
#pragma omp for schedule(runtime) reduction(+ : residual)
    for (int i = 0; i < rows; ++i)
      residual += (x[i] - q[i]) * (x[i] - q[i]);
  }
  return sqrt(residual);
}

static void fill_with_ones(Vectors vectors, int rows) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < rows; ++i)
    vectors.x[i] = 1.0;
}

typedef struct {
  double zeta, residual;
} Estimate;

/* One step of the power method: x becomes the unit vector along A^-1 x. */
static Estimate power_step(const SparseMatrix* matrix, Vectors vectors, double shift) {
  const int rows = matrix->rows;
  double *x = vectors.x, *z = vectors.z;
  Estimate estimate = {.residual = solve(matrix, vectors)};
  double x_dot_z = 0.0, z_dot_z = 0.0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime) reduction(+ : x_dot_z, z_dot_z)
    for (int i = 0; i < rows; ++i) {
      x_dot_z += x[i] * z[i];
      z_dot_z += z[i] * z[i];
    }
    const double scale = 1.0 / sqrt(z_dot_z);
#pragma omp for schedule(runtime)
    for (int i = 0; i < rows; ++i)
      x[i] = scale * z[i];
  }
  estimate.zeta = shift + 1.0 / x_dot_z;
  return estimate;
}

int main(int argc, char** argv) {
  const ProblemClass* class = find_class(benchmark_class(argc, argv, "SWAB", ""));
  SparseMatrix matrix = cg_make_matrix(class->rows, class->nonzeros, CONDITION, class->shift);
  Vectors vectors = allocate_vectors(class->rows);
  benchmark_report_start("cg", class->name, benchmark_threads());

  fill_with_ones(vectors, class->rows);
  power_step(&matrix, vectors, class->shift); /* the specified untimed step: touches every page */
  fill_with_ones(vectors, class->rows);
  Estimate estimate = {0.0, 0.0};
  const double start = omp_get_wtime();
  for (int step = 0; step < class->power_steps; ++step)
    estimate = power_step(&matrix, vectors, class->shift);
  const double seconds = omp_get_wtime() - start;

  printf("nonzeros: %d\nresidual: %.3e\n", matrix.row_start[matrix.rows], estimate.residual);
  printf("zeta: %.13f\n", estimate.zeta);
  free_vectors(&vectors);
  cg_free_matrix(&matrix);
  return benchmark_report_end(seconds, benchmark_near(estimate.zeta, class->zeta, 1e-10));
}
