/* The sparse symmetric matrix of NAS CG, in compressed rows. */
#pragma once

typedef struct {
  int rows;
  int* row_start; /* rows + 1 entries: row i owns [row_start[i], row_start[i + 1]) of the two below */
  int* column;
  double* value;
} SparseMatrix;

/* The matrix of order `rows` that the specification generates: sum over i of weight_i * x_i * x_i^T, each x_i
 * a sparse vector with `nonzeros` random entries and x_i[i] = 1/2, the weights falling geometrically from 1
 * to `condition`; `condition` - `shift` is added to the diagonal. Deterministic; serial. Ends the program
 * without memory. */
SparseMatrix cg_make_matrix(int rows, int nonzeros, double condition, double shift);

void cg_free_matrix(SparseMatrix* matrix);
