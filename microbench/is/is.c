/* NAS IS: integers are ranked by counting, ten times, with two of them changed each time. Written from the
 * specification (NAS Technical Report RNR-94-007). Here all threads count in one array, with an atomic increment for
 * each key: writes scattered over memory that all share.
 *
 * Usage: is [class]     S: 2^16 keys below 2^11, W: 2^20 below 2^16, A: 2^23 below 2^19, B: 2^25 below 2^21 */
#include "../common/benchmark.h"
#include "../common/npb_random.h"

enum { ITERATIONS = 10 };

typedef struct {
  char name;
  int keys_log2, range_log2;
} ProblemClass;

static const ProblemClass CLASSES[] = {{'S', 16, 11}, {'W', 20, 16}, {'A', 23, 19}, {'B', 25, 21}};

typedef struct {
  int count, range;
  int* key;   /* `count` of them */
  int* ranks; /* for each value below `range`, how many keys are not greater */
} Keys;

/* Each key is the mean of four uniform deviates. */
static void make_keys(Keys* keys) {
  uint64_t random = 314159265;
  for (int i = 0; i < keys->count; ++i) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k)
      sum += npb_random(&random);
    keys->key[i] = (int)(keys->range / 4 * sum);
  }
}

static void rank_keys(Keys* keys, int iteration) {
  const int *key = keys->key, count = keys->count, range = keys->range;
  int* ranks = keys->ranks;
  keys->key[iteration] = iteration;
  keys->key[iteration + ITERATIONS] = range - iteration;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < range; ++i)
      ranks[i] = 0;
#pragma omp for
    for (int i = 0; i < count; ++i) {
#pragma omp atomic
      ++ranks[key[i]];
    }
  }
  for (int i = 1; i < range; ++i)
    ranks[i] += ranks[i - 1];
}

/* Whether the ranks sort the keys: every key finds a place of its own, in order. Serial. */
static bool sorts(const Keys* keys) {
  int* sorted = benchmark_allocate((size_t)keys->count, sizeof(int));
  for (int i = 0; i < keys->count; ++i)
    sorted[i] = -1;
  bool placed = true;
  for (int i = 0; i < keys->count && placed; ++i) {
    const int place = --keys->ranks[keys->key[i]];
    placed = place >= 0 && place < keys->count && sorted[place] == -1;
    if (placed)
      sorted[place] = keys->key[i];
  }
  for (int i = 1; i < keys->count && placed; ++i)
    placed = sorted[i - 1] <= sorted[i];
  free(sorted);
  return placed;
}

int main(int argc, char** argv) {
  const ProblemClass* class = &CLASSES[benchmark_class_index(argc, argv, "SWAB")];
  Keys keys = {.count = 1 << class->keys_log2, .range = 1 << class->range_log2};
  keys.key = benchmark_allocate((size_t)keys.count, sizeof(int));
  keys.ranks = benchmark_allocate((size_t)keys.range, sizeof(int));
  make_keys(&keys);
  benchmark_report_start("is", class->name, benchmark_threads());
  const double start = omp_get_wtime();
  for (int iteration = 1; iteration <= ITERATIONS; ++iteration)
    rank_keys(&keys, iteration);
  const double seconds = omp_get_wtime() - start;
  const bool all_counted = keys.ranks[keys.range - 1] == keys.count;
  const bool sorted = sorts(&keys);
  free(keys.key);
  free(keys.ranks);
  return benchmark_report_end(seconds, all_counted && sorted);
}
