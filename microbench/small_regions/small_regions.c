/* Thousands of small regions, as in phylogenetics: the likelihood of a tree, leaf to root, one region for each inner
 * node over the sites of an alignment, with a serial step between regions that scales the next branch. A region
 * computes for some microseconds.
 *
 * Usage: small_regions [class]     S: 2,000 regions of 256 sites, W: 100,000 of 512, A: 500,000 of 512 */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { STATES = 4 };

typedef struct {
  char name;
  int regions, sites;
  double likelihood; /* of a run with one thread */
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 2000, 256, -6.9420742063529e+02},
                                       {'W', 100000, 512, -1.2077670496588e+03},
                                       {'A', 500000, 512, -1.2662049275657e+03}};

typedef struct {
  double state[STATES];
} Site;

/* One step of Jukes and Cantor's model along a branch, then the leaf's observation. */
static void combine(Site* site, double change, const Site* leaf) {
  const double keep = 1.0 - (STATES - 1) * change;
  double sum = 0.0;
  for (int s = 0; s < STATES; ++s)
    sum += site->state[s];
  double total = 0.0;
  Site next;
  for (int s = 0; s < STATES; ++s) {
    next.state[s] = (keep * site->state[s] + change * (sum - site->state[s])) * leaf->state[s];
    total += next.state[s];
  }
  for (int s = 0; s < STATES; ++s)
    site->state[s] = next.state[s] / total;
}

static void make_sites(Site* sites, int count, uint64_t* random) {
  for (int i = 0; i < count; ++i)
    for (int s = 0; s < STATES; ++s)
      sites[i].state[s] = 0.1 + npb_random(random);
}

static double climb(Site* sites, const Site* leaf, int count, int regions) {
  double change = 0.05;
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel for
    for (int i = 0; i < count; ++i)
      combine(&sites[i], change, &leaf[i]);
    change = 0.02 + 0.05 * sites[region % count].state[region % STATES]; /* the serial part reads what a region wrote */
  }
  double likelihood = 0.0;
  for (int i = 0; i < count; ++i)
    likelihood += log(sites[i].state[i % STATES]);
  return likelihood;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWA")];
  Site* sites = benchmark_allocate((size_t) class->sites, sizeof(Site));
  Site* leaf = benchmark_allocate((size_t) class->sites, sizeof(Site));
  uint64_t random = 271828183;
  make_sites(sites, class->sites, &random);
  make_sites(leaf, class->sites, &random);
  benchmark_report_start("small_regions", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  const double likelihood = climb(sites, leaf, class->sites, class->regions);
  const double seconds = omp_get_wtime() - start;
  printf("likelihood: %.13e\n", likelihood);
  free(sites);
  free(leaf);
  return benchmark_report_end(seconds, benchmark_near(likelihood, class->likelihood, 1e-9));
}
