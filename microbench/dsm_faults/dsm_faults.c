/* How long an access to a page takes that another node wrote last, and how fast many of them come one after the other.
 *
 * Usage: dsm_faults [--case CASE] [--pages N]  needs two node processes with one thread each:
 *        dsm_faults --sequential PASS [--mib N]  LD_PRELOAD=libhetmp.so HETMP_NODES=proc:2 OMP_NUM_THREADS=2
 *        dsm_faults --primitives [--pages N] [--cpus HOME,FAULTING]    what they are made of, without OpenMP:
 *        dsm_faults --ring [--mib N] [--cpus HOME,FAULTING]            see primitives.c, ring_copy.c, sockets.c
 *        dsm_faults --sockets [--pages N] [--cpus HOME,FAULTING]
 *        dsm_faults --serve ADDRESS:PORT [--cpus HOME,FAULTING]
 *        dsm_faults --ask ADDRESS:PORT [--pages N] [--cpus HOME,FAULTING]
 *
 * Three cases of single accesses, each on fresh pages that node 0 allocated and wrote: node 1 reads them (read miss),
 * writes them without reading (write miss), writes them after a read, when both nodes hold a copy (write upgrade).
 * --case, with one of these names, leaves the others out, and nearly all accesses by which node 0 looks at the result:
 * for those who count what an access costs. The sequential passes ("pages", "words", "rewrite" and others): see
 * sequential.c.
 */
#include "primitives.h"
#include "samples.h"
#include "sequential.h"

#include <omp.h>
#include <string.h>
#include <unistd.h>

typedef enum { READ_MISS, WRITE_MISS, WRITE_UPGRADE, CASES } Case;

static const char* const CASE_NAMES[CASES] = {"read miss", "write miss", "write upgrade"};

typedef enum { FAULTS, SEQUENTIAL, PRIMITIVES, RING, SOCKETS, SERVE, ASK, WORKS } Work;

static const char* const WORK_OPTIONS[WORKS] = {"",          "--sequential", "--primitives", "--ring",
                                                "--sockets", "--serve",      "--ask"};

typedef struct {
  Work work;
  Case only; /* CASES: all of them */
  size_t pages;
  size_t mebibytes;
  const char* argument; /* SERVE, ASK: an address. SEQUENTIAL: a pass */
  int cpus[2];
} Settings;

/* Page-aligned, from malloc; never given back. */
static char* fresh_pages(size_t count) {
  char* memory = malloc((count + 1) * PAGE_BYTES);
  if (!memory)
    exit(2);
  return memory + (PAGE_BYTES - (uintptr_t)memory % PAGE_BYTES) % PAGE_BYTES;
}

static void write_pages(char* memory, size_t count, char value) {
  for (size_t i = 0; i < count; ++i)
    memset(memory + i * PAGE_BYTES, value, PAGE_BYTES);
}

/* First byte of page i as its writer left it. */
static char mark(size_t page) { return (char)(page % 97 + 1); }

/* Node 1: the order and the times lie in memory it allocated itself, where its accesses never leave the node.
 * Returns how many pages did not hold what node 0 wrote. */
static size_t time_accesses(volatile char* memory, size_t count, Case which, uint64_t* ns, const uint32_t* order) {
  size_t wrong = 0;
  if (which == WRITE_UPGRADE)
    for (size_t i = 0; i < count; ++i)
      wrong += memory[(size_t)order[i] * PAGE_BYTES] != mark(order[i]);
  for (size_t i = 0; i < count; ++i) {
    volatile char* page = memory + (size_t)order[i] * PAGE_BYTES;
    const uint64_t start = now_ns();
    if (which == READ_MISS)
      wrong += *page != mark(order[i]);
    else
      *page = 0;
    ns[i] = now_ns() - start;
  }
  if (which != READ_MISS)
    for (size_t i = 0; i < count; ++i) /* the rest of the page must have come along */
      wrong += memory[i * PAGE_BYTES + PAGE_BYTES - 1] != 7;
  return wrong;
}

/* What node 1 tells node 0, in the heap. */
typedef struct {
  uint64_t* ns;
  size_t wrong;
} Outcome;

static Outcome* new_outcome(void) {
  Outcome* outcome = calloc(1, sizeof *outcome);
  if (!outcome)
    exit(2);
  return outcome;
}

/* One case on fresh pages, of which node 0 looks in the end at one of check_each; returns whether what each node read
 * was right. */
static int measure_case(Case which, size_t count, size_t check_each) {
  char* memory = fresh_pages(count);
  Outcome* outcome = new_outcome();
#pragma omp parallel num_threads(2) firstprivate(memory, outcome, which, count)
  {
    const int node = omp_get_thread_num();
    uint64_t* ns = NULL;
    uint32_t* order = NULL;
    if (node == 0) {
      write_pages(memory, count, 7);
      for (size_t i = 0; i < count; ++i)
        memory[i * PAGE_BYTES] = mark(i);
    } else {
      ns = malloc(count * sizeof *ns);
      order = malloc(count * sizeof *order);
      if (!ns || !order)
        exit(2);
      memset(ns, 1, count * sizeof *ns);
      shuffle(order, count);
    }
#pragma omp barrier
    if (node == 1) {
      outcome->wrong = time_accesses(memory, count, which, ns, order);
      outcome->ns = ns;
    }
  }
  size_t errors = outcome->wrong;
  for (size_t i = 0; i < count; i += check_each)
    errors += memory[i * PAGE_BYTES] != (which == READ_MISS ? mark(i) : 0);
  report_times(CASE_NAMES[which], outcome->ns, count);
  if (errors)
    printf("%s: %zu pages with wrong content\n", CASE_NAMES[which], errors);
  return errors == 0;
}

/* How many processes the two threads of a team run in. */
static int count_processes(void) {
  pid_t pid[2] = {0, 0};
#pragma omp parallel num_threads(2) shared(pid)
  pid[omp_get_thread_num()] = getpid();
  return pid[0] == pid[1] || pid[1] == 0 ? 1 : 2;
}

static int measure_faults(Case only, size_t count) {
  printf("method: node 0 allocates %zu pages and writes them; barrier; node 1 times one access to each, in "
         "random "
         "order, with clock_gettime; fresh pages for each case\n",
         count);
  int right = 1;
  for (Case which = 0; which < CASES; ++which)
    if (only == CASES || only == which)
      right &= measure_case(which, count, only == CASES ? 1 : 64);
  return right;
}

static int measure_dsm(const Settings* settings) {
  const int processes = count_processes();
  printf("node processes: %d\n", processes);
  if (processes != 2) {
    fprintf(stderr, "dsm_faults: the two threads share a process: no DSM to measure; run it with "
                    "LD_PRELOAD=libhetmp.so HETMP_NODES=proc:2 OMP_NUM_THREADS=2\n");
    return 2;
  }
  const int right = settings->work == SEQUENTIAL ? measure_pass(settings->argument, settings->mebibytes)
                                                 : measure_faults(settings->only, settings->pages);
  printf("verification: %s\n", right ? "successful" : "FAILED");
  return right ? 0 : 1;
}

/* A number from 10 to 1000000; 0 = it is none. */
static size_t parse_count(const char* text) {
  char* end = NULL;
  const size_t count = strtoul(text, &end, 10);
  return *end || count < 10 || count > 1000000 ? 0 : count;
}

static int parse_work(const char* text, Settings* settings) {
  for (Work work = SEQUENTIAL; work < WORKS; ++work)
    if (strcmp(text, WORK_OPTIONS[work]) == 0) {
      settings->work = work;
      return 1;
    }
  return 0;
}

static int parse_case(const char* text, Settings* settings) {
  for (settings->only = 0; settings->only < CASES; ++settings->only)
    if (strcmp(text, CASE_NAMES[settings->only]) == 0)
      return 1;
  return 0;
}

static int is_pass(const char* text) {
  for (size_t i = 0; pass_name(i); ++i)
    if (strcmp(pass_name(i), text) == 0)
      return 1;
  return 0;
}

static int parse(int argc, char** argv, Settings* settings) {
  for (int i = 1; i < argc; ++i) {
    if (parse_work(argv[i], settings)) {
      const int wants_more = settings->work == SERVE || settings->work == ASK || settings->work == SEQUENTIAL;
      if (wants_more && ++i == argc)
        return 0;
      settings->argument = wants_more ? argv[i] : NULL;
      if (settings->work == SEQUENTIAL && !is_pass(argv[i]))
        return 0;
    } else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc) {
      if (!parse_case(argv[++i], settings))
        return 0;
    } else if (strcmp(argv[i], "--pages") == 0 && i + 1 < argc) {
      if ((settings->pages = parse_count(argv[++i])) == 0)
        return 0;
    } else if (strcmp(argv[i], "--mib") == 0 && i + 1 < argc) {
      if ((settings->mebibytes = parse_count(argv[++i])) == 0)
        return 0;
    } else if (strcmp(argv[i], "--cpus") == 0 && i + 1 < argc) {
      if (sscanf(argv[++i], "%d,%d", &settings->cpus[0], &settings->cpus[1]) != 2)
        return 0;
    } else {
      return 0;
    }
  }
  return 1;
}

int main(int argc, char** argv) {
  Settings settings = {.only = CASES, .pages = 3000, .mebibytes = 256, .cpus = {0, 1}};
  if (!parse(argc, argv, &settings)) {
    fprintf(
        stderr,
        "usage: %s [--case CASE] [--pages N] | --sequential PASS [--mib N] | --primitives [--pages N] [--cpus "
        "HOME,FAULTING] |\n"
        "       --ring [--mib N] [--cpus ..] | --sockets [--pages N] [--cpus ..] | --serve ADDRESS:PORT [--cpus ..] |\n"
        "       --ask ADDRESS:PORT [--pages N] [--cpus ..]\n",
        argv[0]);
    return 2;
  }
  switch (settings.work) {
  case PRIMITIVES:
    return measure_primitives(settings.pages, settings.cpus);
  case RING:
    return measure_ring(settings.mebibytes, settings.cpus);
  case SOCKETS:
    return measure_sockets(settings.pages, settings.cpus);
  case SERVE:
    return serve_sockets(settings.argument, settings.cpus[0]);
  case ASK:
    return ask_sockets(settings.argument, settings.pages, settings.cpus[1]);
  default:
    return measure_dsm(&settings);
  }
}
