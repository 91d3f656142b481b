/* A lock an element: an unstructured mesh whose edges exchange flux with both ends, each end behind a lock of its own.
 * Locks are taken twice an edge and hardly ever contended; elements and locks lie scattered.
 *
 * Usage: locks [class]     S: 20,000 edges, 4 sweeps, W: 200,000 edges, 100 sweeps, A: 1,000,000 edges, 100 sweeps */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { EDGES_PER_ELEMENT = 4, REACH = 64 };

typedef struct {
  char name;
  int edges, sweeps;
  uint64_t checksum; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 20000, 4, 4554153955592884985},
                                       {'W', 200000, 100, 11787130428960781945u},
                                       {'A', 1000000, 100, 14233176520684365549u}};

typedef struct {
  int64_t state, change; /* whole numbers: their sum does not depend on the order */
  omp_lock_t lock;
} Element;

typedef struct {
  int from, to;
} Edge;

/* Most edges join elements whose numbers are near; one in eight joins any two. */
static void make_edges(Edge* edges, int count, int elements) {
  uint64_t random = 271828183;
  for (int i = 0; i < count; ++i) {
    edges[i].from = (int)(npb_random(&random) * elements);
    const int step = 1 + (int)(npb_random(&random) * (i % 8 == 0 ? elements - 1 : REACH));
    edges[i].to = (edges[i].from + step) % elements;
  }
}

static void add_flux(Element* element, int64_t flux) {
  omp_set_lock(&element->lock);
  element->change += flux;
  omp_unset_lock(&element->lock);
}

static void sweep(Element* elements, int count, const Edge* edges, int edge_count) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < edge_count; ++i) {
      Element *from = &elements[edges[i].from], *to = &elements[edges[i].to];
      const int64_t flux = (from->state - to->state) / 16;
      add_flux(from, -flux);
      add_flux(to, flux);
    }
#pragma omp for
    for (int i = 0; i < count; ++i) {
      elements[i].state += elements[i].change;
      elements[i].change = 0;
    }
  }
}

static uint64_t checksum(const Element* elements, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; ++i)
    sum = sum * 31 + (uint64_t)elements[i].state;
  return sum;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  const int count = class->edges / EDGES_PER_ELEMENT;
  Element* elements = benchmark_allocate((size_t)count, sizeof(Element));
  Edge* edges = benchmark_allocate((size_t) class->edges, sizeof(Edge));
  for (int i = 0; i < count; ++i) {
    elements[i].state = (int64_t)i * 7919 % 1000003;
    elements[i].change = 0;
    omp_init_lock(&elements[i].lock);
  }
  make_edges(edges, class->edges, count);
  benchmark_report_start("locks", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  for (int i = 0; i < class->sweeps; ++i)
    sweep(elements, count, edges, class->edges);
  const double seconds = omp_get_wtime() - start;
  const uint64_t sum = checksum(elements, count);
  printf("checksum: %llu\n", (unsigned long long)sum);
  for (int i = 0; i < count; ++i)
    omp_destroy_lock(&elements[i].lock);
  free(elements);
  free(edges);
  return benchmark_report_end(seconds, sum == class->checksum);
}
