/* What malloc and its relatives cost in an OpenMP program: pairs of malloc and free in mixed sizes, and
 * blocks that grow by realloc. Each thread of the team works by itself.
 *
 *   allocation [--rounds N] [--operations N] [--seed N]     other seeds: other sizes and places
 *
 * It says as well whose malloc it is, which libraries it has loaded, and how many threads there are: what a
 * runtime brings along may not be paid by those who do not use it. */
#define _GNU_SOURCE
#include "../common/benchmark.h"
#include "../common/options.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <time.h>

enum { slots = 1024, growing = 16, largest_growth = 1 << 16 };

/* Aligned: a thread writes `sum` with each operation, and the next one's `state` lies behind it. In one cache line,
 * which was the luck of where the array came to lie, they cost a fifth of the time. */
typedef struct {
  _Alignas(64) uint64_t state;
  unsigned char* blocks[slots];
  uint64_t sum; /* of what was read back; it keeps the compiler from leaving anything out */
} Worker;

static uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Mostly small, some of some KiB, few that get a mapping of their own. */
static size_t mixed_size(uint64_t random) {
  const uint64_t kind = random % 1000;
  const uint64_t more = random >> 20;
  if (kind < 900)
    return 16 + more % 496;
  if (kind < 999)
    return 512 + more % 16384;
  return 150000 + more % 100000;
}

/* One operation is a malloc or a free; in the long run there are as many of the one as of the other. */
static void pairs(Worker* worker, long operations) {
  for (long i = 0; i < operations; ++i) {
    const uint64_t random = next_random(&worker->state);
    unsigned char** slot = &worker->blocks[random >> 8 & (slots - 1)];
    if (*slot != NULL) {
      worker->sum += **slot;
      free(*slot);
      *slot = NULL;
    } else {
      *slot = benchmark_allocate(1, mixed_size(next_random(&worker->state)));
      **slot = (unsigned char)random;
    }
  }
}

/* Blocks that grow by half again and again, as vectors do, several at a time: where one alone would lie is
 * luck. An operation is a realloc. */
static void growth(Worker* worker, long operations) {
  unsigned char* blocks[growing] = {NULL};
  size_t sizes[growing] = {0};
  for (long i = 0; i < operations; ++i) {
    const uint64_t which = next_random(&worker->state) >> 8 & (growing - 1);
    sizes[which] = sizes[which] == 0 ? 16 : sizes[which] + sizes[which] / 2;
    if (sizes[which] > largest_growth) {
      worker->sum += blocks[which][0];
      free(blocks[which]);
      blocks[which] = NULL;
      sizes[which] = 16;
    }
    unsigned char* grown = realloc(blocks[which], sizes[which]);
    if (grown == NULL)
      exit(2);
    blocks[which] = grown;
    grown[sizes[which] - 1] = (unsigned char)i;
  }
  for (int i = 0; i < growing; ++i)
    free(blocks[i]);
}

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Nanoseconds of a thread's CPU time an operation, of the fastest of the rounds: what else runs on the
 * machine shall not count. */
static double measure(void (*body)(Worker*, long), Worker* workers, long operations, long rounds) {
  double best = 1e30;
  for (long round = 0; round < rounds; ++round) {
    double seconds = 0;
#pragma omp parallel reduction(+ : seconds)
    {
      const double begin = thread_seconds();
      body(&workers[omp_get_thread_num()], operations);
      seconds = (thread_seconds() - begin) / omp_get_num_threads();
    }
    best = seconds < best ? seconds : best;
  }
  return best * 1e9 / (double)operations;
}

/* The C library takes a freed large block as a hint not to map such blocks, nor to give the end of the heap
 * back, from now on. A runtime that happens to free one when it starts would look faster, or slower, than
 * another: so every run begins with one. */
static void settle_thresholds(void) {
  unsigned char* volatile block = benchmark_allocate(1, 8 << 20);
  block[0] = 1;
  free(block);
}

static int count_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  for (const struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    count += entry->d_name[0] != '.';
  if (folder != NULL)
    closedir(folder);
  return count;
}

static int print_library(struct dl_phdr_info* library, size_t bytes, void* context) {
  (void)bytes, (void)context;
  if (library->dlpi_name[0] != '\0')
    printf("library: %s\n", library->dlpi_name);
  return 0;
}

static void print_owner_of_malloc(void) {
  Dl_info owner;
  void* function = dlsym(RTLD_DEFAULT, "malloc");
  printf("malloc of: %s\n", function != NULL && dladdr(function, &owner) != 0 ? owner.dli_fname : "nobody");
}

int main(int argc, char** argv) {
  const long rounds = benchmark_number_option(&argc, argv, "--rounds", 15, 1, 1000);
  const long operations = benchmark_number_option(&argc, argv, "--operations", 400000, 1, 1000000000);
  const long seed = benchmark_number_option(&argc, argv, "--seed", 1, 0, 1000000000);
  if (argc != 1) {
    fprintf(stderr, "usage: %s [--rounds N] [--operations N] [--seed N]\n", argv[0]);
    return 2;
  }
  const int alone = count_threads();
  const int threads = benchmark_threads();
  benchmark_report_start("allocation", 'S', threads);
  print_owner_of_malloc();
  dl_iterate_phdr(print_library, NULL);
  printf("threads of the process: %d before the first region, %d after it\n", alone, count_threads());
  Worker* workers = aligned_alloc(_Alignof(Worker), (size_t)threads * sizeof *workers);
  if (workers == NULL)
    return 2;
  memset(workers, 0, (size_t)threads * sizeof *workers);
  for (int i = 0; i < threads; ++i)
    workers[i].state = 88172645463325252u + (uint64_t)(seed * 1000 + i);
  settle_thresholds();
  const double begin = omp_get_wtime();
  printf("malloc or free: %.3f ns\n", measure(pairs, workers, operations, rounds));
  printf("realloc: %.3f ns\n", measure(growth, workers, operations / 8, rounds));
  uint64_t sum = 0;
  for (int i = 0; i < threads; ++i) {
    sum += workers[i].sum;
    for (int k = 0; k < slots; ++k)
      free(workers[i].blocks[k]);
  }
  free(workers);
  return benchmark_report_end(omp_get_wtime() - begin, sum != 0);
}
