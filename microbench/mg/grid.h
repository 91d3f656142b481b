/* A cube of doubles with periodic boundaries, and the loops over it. Each operation is a region. */
#pragma once

typedef struct {
  int points; /* in each direction, without the layer at both sides that repeats the opposite one */
  double* value;
} Grid;

typedef struct {
  double weight[4]; /* of the point itself, its 6 faces, 12 edges and 8 corners */
} Stencil;

/* All zero. */
Grid grid_make(int points);
void grid_free(Grid* grid);
void grid_clear(Grid* grid);

/* -1 where the `count` smallest numbers of the NAS sequence fall, +1 where the largest do, zero elsewhere. */
void grid_set_charges(Grid* grid, int count);

/* residual = charge - operator * solution. `charge` may be the residual. */
void grid_residual(const Grid* solution, const Grid* charge, Grid* residual, const Stencil* operator);

/* solution += smoother * residual */
void grid_smooth(const Grid* residual, Grid* solution, const Stencil* smoother);

/* To the grid of half the points, by full weighting; and from there, added to what `fine` has, trilinear. */
void grid_restrict(const Grid* fine, Grid* coarse);
void grid_interpolate(const Grid* coarse, Grid* fine);

/* The root of the mean square. */
double grid_norm(const Grid* grid);
