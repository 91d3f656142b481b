/* An unstructured flow solver after Rodinia's cfd: five conserved quantities in each cell of an irregular mesh, four
 * neighbours a cell, three Runge-Kutta steps of local flux in each iteration. Loops are schedule(auto).
 *
 * Usage: cfd [class]     S: 5,000 cells, 10 iterations, W: 100,000, 20, A: 200,000, 60, B: 200,000, 300 */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { NEIGHBOURS = 4, STAGES = 3, REACH = 300 };

typedef struct {
  char name;
  int cells, iterations;
  double density; /* weighted sum, of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 5000, 10, 3.7024748039723e+04},
                                       {'W', 100000, 20, 7.4082145134587e+05},
                                       {'A', 200000, 60, 1.4895981436957e+06},
                                       {'B', 200000, 300, 1.5614698262100e+06}};

typedef struct {
  double density, momentum[3], energy;
} State;

typedef struct {
  int neighbour[NEIGHBOURS];
  double normal[NEIGHBOURS][3];
} Cell;

typedef struct {
  int count;
  Cell* cell;
  double* step;
  State *state, *old, *flux;
} Mesh;

static void make_cells(Mesh* mesh) {
  uint64_t random = 271828183;
  for (int i = 0; i < mesh->count; ++i) {
    for (int n = 0; n < NEIGHBOURS; ++n) {
      const int away = 1 + (int)(npb_random(&random) * REACH);
      mesh->cell[i].neighbour[n] = (i + (n % 2 ? away : mesh->count - away)) % mesh->count;
      for (int d = 0; d < 3; ++d)
        mesh->cell[i].normal[n][d] = (n % 2 ? 1.0 : -1.0) * (0.5 + npb_random(&random));
    }
    const double density = 1.0 + 0.2 * npb_random(&random);
    mesh->state[i] = (State){density, {0.3 * density, 0.1 * npb_random(&random), 0.0}, 2.5 + npb_random(&random)};
  }
}

static double pressure_of(const State* state) {
  double square = 0.0;
  for (int d = 0; d < 3; ++d)
    square += state->momentum[d] * state->momentum[d];
  return 0.4 * (state->energy - 0.5 * square / state->density);
}

static double speed_of_sound(const State* state) { return sqrt(fabs(1.4 * pressure_of(state) / state->density)); }

static void set_steps(Mesh* mesh) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < mesh->count; ++i) {
    const State* state = &mesh->state[i];
    const double speed = sqrt(state->momentum[0] * state->momentum[0] + state->momentum[1] * state->momentum[1] +
                              state->momentum[2] * state->momentum[2]) /
                         state->density;
    mesh->step[i] = 0.02 / (speed + speed_of_sound(state));
    mesh->old[i] = *state;
  }
}

/* What flows through one face, with as much diffusion as keeps it stable. */
static void add_face(State* flux, const State* mine, const State* other, const double* normal) {
  const double diffusion = 0.25 * (speed_of_sound(mine) + speed_of_sound(other));
  const double pressure = 0.5 * (pressure_of(mine) + pressure_of(other));
  double through = 0.0;
  for (int d = 0; d < 3; ++d)
    through += 0.25 * normal[d] * (mine->momentum[d] / mine->density + other->momentum[d] / other->density);
  flux->density += diffusion * (other->density - mine->density) - through * 0.5 * (mine->density + other->density);
  for (int d = 0; d < 3; ++d)
    flux->momentum[d] += diffusion * (other->momentum[d] - mine->momentum[d]) -
                         through * 0.5 * (mine->momentum[d] + other->momentum[d]) - 0.1 * pressure * normal[d];
  flux->energy +=
      diffusion * (other->energy - mine->energy) - through * (pressure + 0.5 * (mine->energy + other->energy));
}

static void compute_flux(Mesh* mesh) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < mesh->count; ++i) {
    State flux = {0.0, {0.0, 0.0, 0.0}, 0.0};
    for (int n = 0; n < NEIGHBOURS; ++n)
      add_face(&flux, &mesh->state[i], &mesh->state[mesh->cell[i].neighbour[n]], mesh->cell[i].normal[n]);
    mesh->flux[i] = flux;
  }
}

static void advance(Mesh* mesh, int stage) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < mesh->count; ++i) {
    const double factor = mesh->step[i] / (STAGES - stage);
    State *state = &mesh->state[i], *old = &mesh->old[i], *flux = &mesh->flux[i];
    state->density = old->density + factor * flux->density;
    for (int d = 0; d < 3; ++d)
      state->momentum[d] = old->momentum[d] + factor * flux->momentum[d];
    state->energy = old->energy + factor * flux->energy;
  }
}

static double weighted_density(const Mesh* mesh) {
  double sum = 0.0;
  for (int i = 0; i < mesh->count; ++i)
    sum += mesh->state[i].density * (1 + i % 7) + mesh->state[i].energy;
  return sum;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  const size_t count = (size_t) class->cells;
  Mesh mesh = {.count = class->cells,
               .cell = benchmark_allocate(count, sizeof(Cell)),
               .step = benchmark_allocate(count, sizeof(double)),
               .state = benchmark_allocate(count, sizeof(State)),
               .old = benchmark_allocate(count, sizeof(State)),
               .flux = benchmark_allocate(count, sizeof(State))};
  make_cells(&mesh);
  benchmark_report_start("cfd", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  for (int i = 0; i < class->iterations; ++i) {
    set_steps(&mesh);
    for (int stage = 0; stage < STAGES; ++stage) {
      compute_flux(&mesh);
      advance(&mesh, stage);
    }
  }
  const double seconds = omp_get_wtime() - start;
  const double density = weighted_density(&mesh);
  printf("density: %.13e\n", density);
  free(mesh.cell);
  free(mesh.step);
  free(mesh.state);
  free(mesh.old);
  free(mesh.flux);
  return benchmark_report_end(seconds, benchmark_near(density, class->density, 1e-10));
}
