/* What solvers by alternating directions share, after NAS BT and SP: a cube of points with five components, and time
 * steps in which lines of points along x, then y, then z are each solved as one system. Steps are one region of five
 * loops. */
#pragma once

enum { ADI_COMPONENTS = 5, ADI_LONGEST = 128 };

typedef struct {
  double value[ADI_COMPONENTS];
} AdiPoint;

/* Solves the system of one line. `state` is the solution so far, of which the coefficients depend; `side` has the right
 * hand side and receives the result. */
typedef void (*AdiSolver)(const AdiPoint* state, AdiPoint* side, int points);

typedef struct {
  char name;
  int points, steps; /* `points` in each direction, at most ADI_LONGEST */
  double norm;       /* of the solution, by a run with one thread */
} AdiClass;

/* Runs, reports and returns the exit code of the program. */
int adi_run(const char* name, const AdiClass* class, AdiSolver solve_line);
