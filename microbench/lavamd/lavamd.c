/* Particles in boxes after Rodinia's lavaMD: each box of a cube meets itself and its up to 26 neighbours, and every
 * particle of the one feels every particle of the other. Much computation on little memory, repeated in time steps.
 *
 * Usage: lavamd [class]     S: 4^3 boxes, 2 steps, W: 8^3, 2, A: 10^3, 6; 64 particles in a box */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { PARTICLES = 64 };

typedef struct {
  char name;
  int edge, steps;
  double energy; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {
    {'S', 4, 2, 8.0000381467605e+05}, {'W', 8, 2, 8.1325656967425e+06}, {'A', 10, 6, 1.6241025116581e+07}};

typedef struct {
  double x, y, z, charge;
} Particle;

typedef struct {
  double energy, x, y, z;
} Force;

typedef struct {
  Particle particle[PARTICLES];
} Box;

typedef struct {
  Force force[PARTICLES];
} BoxForces;

static void make_boxes(Box* boxes, int edge) {
  uint64_t random = 271828183;
  for (int b = 0; b < edge * edge * edge; ++b)
    for (int p = 0; p < PARTICLES; ++p)
      boxes[b].particle[p] = (Particle){b % edge + npb_random(&random), b / edge % edge + npb_random(&random),
                                        b / edge / edge + npb_random(&random), npb_random(&random)};
}

static void interact(const Box* box, const Box* neighbour, BoxForces* forces) {
  for (int i = 0; i < PARTICLES; ++i) {
    const Particle* mine = &box->particle[i];
    Force sum = {0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < PARTICLES; ++j) {
      const Particle* other = &neighbour->particle[j];
      const double x = mine->x - other->x, y = mine->y - other->y, z = mine->z - other->z;
      const double strength = other->charge * exp(-0.5 * (x * x + y * y + z * z));
      sum.energy += strength;
      sum.x += strength * x;
      sum.y += strength * y;
      sum.z += strength * z;
    }
    Force* force = &forces->force[i];
    *force = (Force){force->energy + sum.energy, force->x + sum.x, force->y + sum.y, force->z + sum.z};
  }
}

static void meet_neighbours(const Box* boxes, int edge, int number, BoxForces* forces) {
  const int x = number % edge, y = number / edge % edge, z = number / edge / edge;
  *forces = (BoxForces){0};
  for (int k = z - 1; k <= z + 1; ++k)
    for (int j = y - 1; j <= y + 1; ++j)
      for (int i = x - 1; i <= x + 1; ++i)
        if (i >= 0 && i < edge && j >= 0 && j < edge && k >= 0 && k < edge)
          interact(&boxes[number], &boxes[(k * edge + j) * edge + i], forces);
}

static void step(Box* boxes, BoxForces* forces, int edge) {
  const int count = edge * edge * edge;
#pragma omp parallel for
  for (int b = 0; b < count; ++b)
    meet_neighbours(boxes, edge, b, &forces[b]);
#pragma omp parallel for
  for (int b = 0; b < count; ++b)
    for (int p = 0; p < PARTICLES; ++p) {
      boxes[b].particle[p].x += 1e-4 * forces[b].force[p].x;
      boxes[b].particle[p].y += 1e-4 * forces[b].force[p].y;
      boxes[b].particle[p].z += 1e-4 * forces[b].force[p].z;
    }
}

static double total_energy(const BoxForces* forces, int count) {
  double sum = 0.0;
  for (int b = 0; b < count; ++b)
    for (int p = 0; p < PARTICLES; ++p)
      sum += forces[b].force[p].energy;
  return sum;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const int count = class->edge * class->edge * class->edge;
  Box* boxes = benchmark_allocate((size_t)count, sizeof(Box));
  BoxForces* forces = benchmark_allocate((size_t)count, sizeof(BoxForces));
  make_boxes(boxes, class->edge);
  benchmark_report_start("lavamd", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  for (int i = 0; i < class->steps; ++i)
    step(boxes, forces, class->edge);
  const double seconds = omp_get_wtime() - start;
  const double energy = total_energy(forces, count);
  printf("energy: %.13e\n", energy);
  free(boxes);
  free(forces);
  return benchmark_report_end(seconds, benchmark_near(energy, class->energy, 1e-9));
}
