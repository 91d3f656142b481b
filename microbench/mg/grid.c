#include "grid.h"

#include "../common/benchmark.h"
#include "../common/npb_random.h"

#include <string.h>

static long width_of(const Grid* grid) { return grid->points + 2; }

static double* row_of(const Grid* grid, long k, long j) {
  return grid->value + (k * width_of(grid) + j) * width_of(grid);
}

Grid grid_make(int points) {
  Grid grid = {.points = points};
  const long width = width_of(&grid);
  grid.value = benchmark_allocate((size_t)(width * width * width), sizeof(double));
  grid_clear(&grid);
  return grid;
}

void grid_free(Grid* grid) { free(grid->value); }

void grid_clear(Grid* grid) {
  const long width = width_of(grid);
#pragma omp parallel for
  for (long k = 0; k < width; ++k)
    memset(row_of(grid, k, 0), 0, (size_t)(width * width) * sizeof(double));
}

/* The outer layers of one plane, but for the planes themselves. */
static void wrap_plane(Grid* grid, long k) {
  const long last = grid->points;
  for (long j = 1; j <= last; ++j) {
    double* row = row_of(grid, k, j);
    row[0] = row[last];
    row[last + 1] = row[1];
  }
  const size_t bytes = (size_t)width_of(grid) * sizeof(double);
  memcpy(row_of(grid, k, 0), row_of(grid, k, last), bytes);
  memcpy(row_of(grid, k, last + 1), row_of(grid, k, 1), bytes);
}

/* The first and the last plane. Called when all others are as they should be. */
static void wrap_planes(Grid* grid) {
  const long last = grid->points, width = width_of(grid);
  const size_t bytes = (size_t)(width * width) * sizeof(double);
  memcpy(row_of(grid, 0, 0), row_of(grid, last, 0), bytes);
  memcpy(row_of(grid, last + 1, 0), row_of(grid, 1, 0), bytes);
}

/* Sums over the neighbours of each point of a row: those in the plane through the row's ends (`faces`: 4) and the
 * corners of that square (`corners`: 4). A point's 26 neighbours are made of three such sums side by side. */
static void sum_around(const Grid* grid, long k, long j, double* restrict faces, double* restrict corners) {
  const double *below = row_of(grid, k - 1, j), *above = row_of(grid, k + 1, j);
  const double *before = row_of(grid, k, j - 1), *behind = row_of(grid, k, j + 1);
  const double *below_before = row_of(grid, k - 1, j - 1), *below_behind = row_of(grid, k - 1, j + 1);
  const double *above_before = row_of(grid, k + 1, j - 1), *above_behind = row_of(grid, k + 1, j + 1);
  for (long i = 0; i < width_of(grid); ++i) {
    faces[i] = before[i] + behind[i] + below[i] + above[i];
    corners[i] = below_before[i] + below_behind[i] + above_before[i] + above_behind[i];
  }
}

void grid_residual(const Grid* solution, const Grid* charge, Grid* residual, const Stencil* operator) {
  const long last = solution->points, width = width_of(solution);
  const double itself = operator->weight[0], edge = operator->weight[2], corner = operator->weight[3];
#pragma omp parallel
  {
    double faces[width], corners[width];
#pragma omp for
    for (long k = 1; k <= last; ++k) {
      for (long j = 1; j <= last; ++j) {
        sum_around(solution, k, j, faces, corners);
        const double *from = row_of(solution, k, j), *wanted = row_of(charge, k, j);
        double* to = row_of(residual, k, j);
        for (long i = 1; i <= last; ++i) /* faces weigh nothing in this operator */
          to[i] = wanted[i] - itself * from[i] - edge * (corners[i] + faces[i - 1] + faces[i + 1]) -
                  corner * (corners[i - 1] + corners[i + 1]);
      }
      wrap_plane(residual, k);
    }
  }
  wrap_planes(residual);
}

void grid_smooth(const Grid* residual, Grid* solution, const Stencil* smoother) {
  const long last = residual->points, width = width_of(residual);
  const double itself = smoother->weight[0], face = smoother->weight[1], edge = smoother->weight[2];
#pragma omp parallel
  {
    double faces[width], corners[width];
#pragma omp for
    for (long k = 1; k <= last; ++k) {
      for (long j = 1; j <= last; ++j) {
        sum_around(residual, k, j, faces, corners);
        const double* from = row_of(residual, k, j);
        double* to = row_of(solution, k, j);
        for (long i = 1; i <= last; ++i) /* corners weigh nothing in this one */
          to[i] += itself * from[i] + face * (from[i - 1] + from[i + 1] + faces[i]) +
                   edge * (corners[i] + faces[i - 1] + faces[i + 1]);
      }
      wrap_plane(solution, k);
    }
  }
  wrap_planes(solution);
}

void grid_restrict(const Grid* fine, Grid* coarse) {
  const long last = coarse->points, width = width_of(fine);
#pragma omp parallel
  {
    double faces[width], corners[width];
#pragma omp for
    for (long k = 1; k <= last; ++k) {
      for (long j = 1; j <= last; ++j) {
        sum_around(fine, 2 * k, 2 * j, faces, corners);
        const double* from = row_of(fine, 2 * k, 2 * j);
        double* to = row_of(coarse, k, j);
        for (long i = 1; i <= last; ++i) {
          const long at = 2 * i;
          to[i] = 0.5 * from[at] + 0.25 * (from[at - 1] + from[at + 1] + faces[at]) +
                  0.125 * (corners[at] + faces[at - 1] + faces[at + 1]) + 0.0625 * (corners[at - 1] + corners[at + 1]);
        }
      }
      wrap_plane(coarse, k);
    }
  }
  wrap_planes(coarse);
}

/* The mean of a coarse row and its neighbours towards the planes and rows that a fine row lies between. */
static void blend_rows(const Grid* coarse, long k, long j, double* restrict blend) {
  const long low_k = k / 2, low_j = j / 2, high_k = (k + 1) / 2, high_j = (j + 1) / 2;
  const double *first = row_of(coarse, low_k, low_j), *second = row_of(coarse, low_k, high_j);
  const double *third = row_of(coarse, high_k, low_j), *fourth = row_of(coarse, high_k, high_j);
  for (long i = 0; i < width_of(coarse); ++i)
    blend[i] = 0.25 * (first[i] + second[i] + third[i] + fourth[i]);
}

void grid_interpolate(const Grid* coarse, Grid* fine) {
  const long last = fine->points, width = width_of(coarse);
#pragma omp parallel
  {
    double blend[width];
#pragma omp for
    for (long k = 1; k <= last; ++k) {
      for (long j = 1; j <= last; ++j) {
        blend_rows(coarse, k, j, blend);
        double* to = row_of(fine, k, j);
        for (long i = 1; i <= last; ++i)
          to[i] += 0.5 * (blend[i / 2] + blend[(i + 1) / 2]);
      }
      wrap_plane(fine, k);
    }
  }
  wrap_planes(fine);
}

double grid_norm(const Grid* grid) {
  const long last = grid->points;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (long k = 1; k <= last; ++k)
    for (long j = 1; j <= last; ++j) {
      const double* row = row_of(grid, k, j);
      for (long i = 1; i <= last; ++i)
        sum += row[i] * row[i];
    }
  return sqrt(sum / ((double)last * (double)last * (double)last));
}

typedef struct {
  double number;
  double* at;
} Place;

/* Keeps the `count` first in order, greatest or least as `sign` says. */
static void keep_extreme(Place* places, int count, int sign, Place candidate) {
  if (sign * candidate.number <= sign * places[count - 1].number)
    return;
  int slot = count - 1;
  for (; slot > 0 && sign * candidate.number > sign * places[slot - 1].number; --slot)
    places[slot] = places[slot - 1];
  places[slot] = candidate;
}

void grid_set_charges(Grid* grid, int count) {
  const long last = grid->points;
  Place smallest[count], largest[count];
  for (int i = 0; i < count; ++i) {
    smallest[i] = (Place){2.0, NULL};
    largest[i] = (Place){-1.0, NULL};
  }
  uint64_t random = 314159265;
  for (long k = 1; k <= last; ++k)
    for (long j = 1; j <= last; ++j)
      for (long i = 1; i <= last; ++i) {
        const Place place = {npb_random(&random), row_of(grid, k, j) + i};
        keep_extreme(smallest, count, -1, place);
        keep_extreme(largest, count, 1, place);
      }
  for (int i = 0; i < count; ++i) {
    *smallest[i].at = -1.0;
    *largest[i].at = 1.0;
  }
  for (long k = 1; k <= last; ++k)
    wrap_plane(grid, k);
  wrap_planes(grid);
}
