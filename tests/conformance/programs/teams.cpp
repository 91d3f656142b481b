// teams and distribute on the host: as many teams as asked for, each an initial thread of its own; loops divided among
// teams and their threads; reductions, thread limits.
#include "check.h"

#include <cstdint>
#include <omp.h>
#include <vector>

template <class T> void check_once(const std::vector<int>& hits, T trips) {
  for (T i = 0; i < T(hits.size()); i++)
    CHECK_EQUAL(hits[size_t(i)], i < trips ? 1 : 0);
}

template <class T> void distribute(int teams) {
  for (T trips : {T(0), T(1), T(5), T(97)}) {
    std::vector<int> plain(100), chunked(100), combined(100), threads(100), dynamic(100);
    int *p = plain.data(), *c = chunked.data(), *b = combined.data(), *t = threads.data(), *d = dynamic.data();
    T last = T(0);
#pragma omp teams num_teams(teams) shared(p, c, b, t, d)
    {
#pragma omp distribute lastprivate(last)
      for (T i = 0; i < trips; i++) {
        raise_by_one(&p[i]);
        last = i;
      }
#pragma omp distribute dist_schedule(static, 3)
      for (T i = 0; i < trips; i++)
        raise_by_one(&c[i]);
#pragma omp distribute
      for (T i = 0; i < trips; i++) {
#pragma omp parallel for
        for (int j = 0; j < 1; j++)
          raise_by_one(&b[i]);
      }
#pragma omp distribute parallel for num_threads(3)
      for (T i = 0; i < trips; i++)
        raise_by_one(&t[i]);
#pragma omp distribute parallel for schedule(dynamic, 2)
      for (T i = 0; i < trips; i++)
        raise_by_one(&d[i]);
    }
    check_once(plain, trips);
    check_once(chunked, trips);
    check_once(combined, trips);
    check_once(threads, trips);
    check_once(dynamic, trips);
    if (trips > 0)
      CHECK_EQUAL(last, trips - 1);
  }
}

// A function, because the text of a teams region may not call such routines.
static void check_initial_thread(int thread_limit) {
  CHECK_EQUAL(omp_get_num_threads(), 1);
  CHECK_EQUAL(omp_get_level(), 0);
  CHECK(!omp_in_parallel());
  CHECK_EQUAL(omp_get_thread_limit(), thread_limit);
}

int main() {
  for (int teams : {1, 2, 5}) {
    std::vector<int> seen(8), threads(8);
    int* seen_by = seen.data();
    int* threads_of = threads.data();
#pragma omp teams num_teams(teams) thread_limit(2)
    {
      CHECK_EQUAL(omp_get_num_teams(), teams);
      check_initial_thread(2);
      raise_by_one(&seen_by[omp_get_team_num()]);
#pragma omp parallel
      {
        CHECK(omp_get_num_threads() <= 2);
        CHECK_EQUAL(omp_get_level(), 1);
        CHECK_EQUAL(omp_get_num_teams(), teams);
        raise_by_one(&threads_of[omp_get_team_num()]);
      }
    }
    for (int i = 0; i < 8; i++) {
      CHECK_EQUAL(seen[size_t(i)], i < teams ? 1 : 0);
      CHECK(i < teams ? threads[size_t(i)] >= 1 : threads[size_t(i)] == 0);
    }
    distribute<int>(teams);
    distribute<unsigned>(teams);
    distribute<int64_t>(teams);
    distribute<uint64_t>(teams);

    long sum = 3;
#pragma omp teams num_teams(teams) reduction(+ : sum)
    {
#pragma omp distribute parallel for reduction(+ : sum)
      for (int i = 0; i < 1000; i++)
        sum += i;
    }
    CHECK_EQUAL(sum, 3 + 499500);
    CHECK_EQUAL(omp_get_num_teams(), 1);
    CHECK_EQUAL(omp_get_team_num(), 0);
  }
  return finish();
}
