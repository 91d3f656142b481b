// Teams of every size, back to back and nested, with everything a region does at its edges.
#include "stress.hpp"

#include <omp.h>

namespace {

int entered[16];

void check_team(int team) {
  CHECK_EQUAL(omp_get_num_threads(), team);
  const int me = omp_get_thread_num();
  CHECK(me >= 0 && me < team);
#pragma omp atomic
  entered[me]++;
}

void changing_sizes(int times) {
  stress::Random random(stress::seed());
  for (int i = 0; i < times; ++i) {
    const int team = 1 + int(random.below(8));
    for (int& count : entered)
      count = 0;
    int by_firstprivate = i * 11, sum = 0;
#pragma omp parallel num_threads(team) firstprivate(by_firstprivate) reduction(+ : sum)
    {
      check_team(team);
      CHECK_EQUAL(by_firstprivate, i * 11);
      by_firstprivate = -1;
      sum += omp_get_thread_num() + 1;
    }
    CHECK_EQUAL(sum, team * (team + 1) / 2);
    for (int thread = 0; thread < 16; ++thread)
      CHECK_EQUAL(entered[thread], thread < team ? 1 : 0);
  }
}

void empty_regions(int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp parallel num_threads(1 + i % 8)
    {}
  }
}

void many_barriers(int team, int times) {
  volatile int stage[8] = {};
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    for (int i = 1; i <= times; ++i) {
      stage[me] = i;
#pragma omp barrier
      CHECK_EQUAL(stage[(me + i) % team], i);
#pragma omp barrier
    }
  }
}

void nested(int outer, int inner) {
  omp_set_max_active_levels(2);
  int total = 0, ones = 0;
#pragma omp parallel num_threads(outer) reduction(+ : total)
  {
    const int parent = omp_get_thread_num();
    int mine = 0;
    for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(inner) reduction(+ : mine)
      {
        CHECK_EQUAL(omp_get_level(), 2);
        CHECK_EQUAL(omp_get_num_threads(), inner);
        CHECK_EQUAL(omp_get_ancestor_thread_num(1), parent);
        CHECK_EQUAL(omp_get_team_size(1), outer);
        mine += 1;
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; ++i)
          mine += i;
#pragma omp single
        {
#pragma omp atomic
          ones++;
        }
      }
    }
    total += mine;
  }
  CHECK_EQUAL(total, outer * 5 * (inner + 190));
  CHECK_EQUAL(ones, outer * 5);
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
  CHECK_EQUAL(omp_get_num_threads(), 1);
}

void singles_and_sections(int times) {
  int singles = 0, first = 0, second = 0, third = 0, masters = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < times; ++i) {
    int copied = -1;
#pragma omp single copyprivate(copied)
    {
      singles++;
      copied = i * 3;
    }
    CHECK_EQUAL(copied, i * 3);
#pragma omp single nowait
    {
#pragma omp atomic
      singles++;
    }
#pragma omp sections
    {
#pragma omp section
      first++;
#pragma omp section
      second++;
#pragma omp section
      third++;
    }
#pragma omp master
    masters++;
  }
  CHECK_EQUAL(singles, 2 * times);
  CHECK_EQUAL(first, times);
  CHECK_EQUAL(second, times);
  CHECK_EQUAL(third, times);
  CHECK_EQUAL(masters, times);
}

void many_arguments(int team) {
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15,
      p = 16, q = 17, sum = 0;
#pragma omp parallel num_threads(team)
  {
    const int mine = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q;
    CHECK_EQUAL(mine, 153);
#pragma omp atomic
    sum += mine;
#pragma omp barrier
#pragma omp single
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = q = 0;
  }
  CHECK_EQUAL(sum, 153 * team);
  CHECK_EQUAL(a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q, 0);
}

} // namespace

int main() {
  omp_set_dynamic(0);
  changing_sizes(200);
  empty_regions(200);
  many_barriers(8, 100);
  many_barriers(3, 100);
  nested(2, 3);
  nested(4, 2);
  singles_and_sections(60);
  for (int team = 1; team <= 8; ++team)
    many_arguments(team);
}
