// What pages brought ahead are worth: times and page faults of small regions, of visits of loops that exchange a
// vector, and of a table that one thread writes anew, in no order, between visits that read it.
//
// Usage: dsm_ahead [--pages N] [--visits N] [--regions N] [--table PAGES]     needs node processes:
//                                                                             LD_PRELOAD=libhetmp.so
//                                                                             HETMP_NODES=proc:2 OMP_NUM_THREADS=2
//
// Not a program that knows nothing of hetmp: it asks the DSM for its counters. Every number is a mean, of regions or
// visits that follow each other; faults are those of all nodes. The program fails if a sum is wrong.
#include "dsm/fabric.hpp"

#include "../common/options.h"

#include <omp.h>
#include <time.h>

extern "C" hetmp::dsm::Fabric* hetmp_dsm_fabric() __attribute__((weak));

namespace {

constexpr long page_doubles = 4096 / sizeof(double);

struct Settings {
  long pages, visits, regions, table;
};

struct Moment {
  double us;
  long faults;
};

double now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * double(now.tv_sec) + 1e-3 * double(now.tv_nsec);
}

/// Of all nodes, each of which has one thread.
long count_faults() {
  long faults = 0;
#pragma omp parallel reduction(+ : faults)
  {
    hetmp::dsm::FaultCounters counters;
    hetmp_dsm_fabric()->read_faults(&counters);
    faults += long(counters.faults());
  }
  return faults;
}

Moment now() {
  const long faults = count_faults();
  return {now_us(), faults};
}

/// Looking costs faults as well; `of_look` takes them out.
void report(const char* what, Moment before, long count, long of_look) {
  const double us = now_us() - before.us;
  const long faults = count_faults() - before.faults - of_look;
  printf("%s: %.2f us\n%s, faults: %.3f\n", what, us / double(count), what, double(faults) / double(count));
}

long faults_of_look() {
  now();
  const long before = now().faults;
  return count_faults() - before;
}

// ---- regions

void empty_regions(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp parallel
    __asm__ volatile("");
  }
}

/// Each thread reads variables of the primary, which has changed one of them since the last region.
bool argument_regions(long count) {
  long round = 0, wrong = 0;
  for (long i = 0; i < count; ++i) {
    round = i;
#pragma omp parallel shared(round, wrong)
    if (round != i) {
#pragma omp atomic
      ++wrong;
    }
  }
  return wrong == 0;
}

bool sums(long count) {
  double total = 0;
  for (long i = 0; i < count; ++i) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    total += sum;
  }
  const double threads = omp_get_max_threads();
  return total == double(count) * threads * (threads + 1) / 2;
}

/// Sums in one region, each between barriers, as in solvers.
bool sums_in_one_region(long count) {
  double sum = 0, wrong = 0;
  const int threads = omp_get_max_threads();
#pragma omp parallel
  for (long i = 0; i < count; ++i) {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int k = 0; k < threads; ++k)
      sum += k + 1;
#pragma omp single
    {
      wrong += sum != threads * (threads + 1) / 2;
      sum = 0;
    }
  }
  return wrong == 0;
}

void time_regions(long count) {
  bool right = true;
  const long look = faults_of_look();
  const auto measure = [&](const char* what, auto&& run) {
    run(count / 10 + 1);
    const Moment before = now();
    run(count);
    report(what, before, count, look);
  };
  measure("empty region", empty_regions);
  measure("region with arguments", [&](long n) { right = right && argument_regions(n); });
  measure("region with a sum", [&](long n) { right = right && sums(n); });
  measure("sum in a region", [&](long n) { right = right && sums_in_one_region(n); });
  printf("sums: %s\n", right ? "right" : "WRONG");
  if (!right)
    exit(1);
}

// ---- visits

/// A step through all pages that no prefetcher takes for a walk: `pages` is a power of two, the step odd and large.
long shuffled(long page, long pages) { return (page * 0x9e3779b1L + 12345) & (pages - 1); }

double* zeroed_pages(long pages) {
  auto* memory = static_cast<double*>(aligned_alloc(4096, size_t(pages) * 4096));
  if (!memory)
    exit(2);
  for (long i = 0; i < pages * page_doubles; ++i)
    memory[i] = 0;
  return memory;
}

/// Every thread reads all pages, and adds what it read to what it has seen.
void read_all(const double* vector, long pages, double* seen, int threads) {
#pragma omp parallel for schedule(static)
  for (int reader = 0; reader < threads; ++reader) {
    double sum = 0;
    for (long page = 0; page < pages; ++page)
      sum += vector[shuffled(page, pages) * page_doubles];
    seen[reader * page_doubles] += sum;
  }
}

/// Every thread reads the whole vector, then each writes its part.
void exchange(double* vector, long pages, double* seen, int threads) {
  read_all(vector, pages, seen, threads);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < pages * page_doubles; ++i)
    vector[i] += 1;
}

void time_visits(long pages, long visits) {
  const int threads = omp_get_max_threads();
  double* const vector = zeroed_pages(pages);
  double* const seen = zeroed_pages(threads);
  constexpr long first = 4;
  for (long i = 0; i < first; ++i)
    exchange(vector, pages, seen, threads);
  const long look = faults_of_look();
  const Moment before = now();
  for (long i = 0; i < visits; ++i)
    exchange(vector, pages, seen, threads);
  report("visit", before, visits, look);
  const double all = double(first + visits);
  bool right = vector[0] == all && vector[pages * page_doubles - 1] == all;
  for (int reader = 0; reader < threads; ++reader)
    right = right && seen[reader * page_doubles] == double(pages) * all * (all - 1) / 2;
  printf("vector: %s\n", right ? "right" : "WRONG");
  free(vector);
  free(seen);
  if (!right)
    exit(1);
}

// ---- tables

void time_table(long pages, long visits) {
  const int threads = omp_get_max_threads();
  double* const table = zeroed_pages(pages);
  double* const seen = zeroed_pages(threads);
  bool right = true;
  double written_us = 0, read_us = 0;
  long written_faults = 0, read_faults = 0;
  const long look = faults_of_look();
  constexpr long first = 2;
  for (long visit = 1; visit <= first + visits; ++visit) {
    const Moment begin = now();
    for (long page = 0; page < pages; ++page)
      table[shuffled(page + visit, pages) * page_doubles] = double(visit);
    const double written_at = now_us();
    const Moment reading = now();
    read_all(table, pages, seen, threads);
    const double read_at = now_us();
    const long faults = count_faults();
    for (int reader = 0; reader < threads; ++reader)
      right = right && seen[reader * page_doubles] == double(pages) * double(visit * (visit + 1) / 2);
    if (visit <= first)
      continue;
    written_us += written_at - begin.us, read_us += read_at - reading.us;
    written_faults += reading.faults - begin.faults - look, read_faults += faults - reading.faults - look;
  }
  const double count = double(visits);
  printf("table written: %.2f us\ntable written, faults: %.3f\n", written_us / count, double(written_faults) / count);
  printf("table read: %.2f us\ntable read, faults: %.3f\n", read_us / count, double(read_faults) / count);
  printf("table: %s\n", right ? "right" : "WRONG");
  free(table);
  free(seen);
  if (!right)
    exit(1);
}

} // namespace

int main(int argc, char** argv) {
  const Settings settings = {benchmark_number_option(&argc, argv, "--pages", 256, 1, 1 << 20),
                             benchmark_number_option(&argc, argv, "--visits", 200, 1, 1000000),
                             benchmark_number_option(&argc, argv, "--regions", 2000, 1, 10000000),
                             benchmark_number_option(&argc, argv, "--table", 8192, 1, 1 << 20)};
  const auto is_power = [](long pages) { return (pages & (pages - 1)) == 0; };
  if (argc != 1 || !is_power(settings.pages) || !is_power(settings.table)) {
    fprintf(stderr, "usage: %s [--pages N] [--visits N] [--regions N] [--table PAGES], pages are powers of two\n",
            argv[0]);
    return 2;
  }
  if (!hetmp_dsm_fabric) {
    fprintf(stderr, "%s: runs on node processes only: LD_PRELOAD=libhetmp.so HETMP_NODES=proc:2\n", argv[0]);
    return 2;
  }
  time_regions(settings.regions);
  time_visits(settings.pages, settings.visits);
  time_table(settings.table, settings.visits / 10 + 1);
  return 0;
}
