// taskloop: each iteration once, in tasks of the size asked for; lastprivate, firstprivate objects, nogroup, collapse.
#include "check.h"

#include <cstdint>
#include <omp.h>
#include <string>
#include <vector>

template <class T> void each_once(T first, T end, T stride, int grain) {
  std::vector<int> hits(200);
  auto* hit = hits.data();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(grain) shared(hit)
  for (T i = first; i < end; i += stride)
    raise_by_one(&hit[size_t(i - first)]);
  for (size_t i = 0; i < hits.size(); i++)
    CHECK_EQUAL(hits[i], i < size_t(end - first) && i % size_t(stride) == 0 ? 1 : 0);
}

int main() {
  for (int grain : {1, 3, 1000}) {
    each_once<int>(-50, 100, 1, grain);
    each_once<int>(-50, 100, 7, grain);
    each_once<unsigned>(4000000000u, 4000000150u, 3, grain);
    each_once<int64_t>(-5000000000, -5000000000 + 150, 2, grain);
    each_once<uint64_t>(UINT64_MAX - 160, UINT64_MAX - 10, 5, grain);
  }

  // No iteration. The stride is a constant: with another one clang passes what libomp, too, takes for 2^32 iterations.
  int none = 0;
  const int end = omp_get_thread_num();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop shared(none)
  for (int i = 0; i < end; i++)
    raise_by_one(&none);
  CHECK_EQUAL(none, 0);

  int down[100] = {}, last = -1, tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop lastprivate(last) num_tasks(9)
  for (int i = 99; i >= 0; i--) {
    raise_by_one(&down[i]);
    last = i;
  }
  for (int hits : down)
    CHECK_EQUAL(hits, 1);
  CHECK_EQUAL(last, 0);

  // Its own taskgroup, or none.
  int with = 0, without = 0;
#pragma omp parallel
  {
#pragma omp single
    {
#pragma omp taskloop shared(with)
      for (int i = 0; i < 77; i++)
        raise_by_one(&with);
      CHECK_EQUAL(with, 77);
#pragma omp taskloop nogroup shared(without)
      for (int i = 0; i < 77; i++)
        raise_by_one(&without);
    }
    CHECK_EQUAL(without, 77);
  }

  const std::string text = "a text that is longer than what a string keeps in itself";
  std::string copied = text;
  std::vector<int> right(50);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop firstprivate(copied) shared(right) num_tasks(10)
  for (int i = 0; i < 50; i++) {
    right[size_t(i)] = copied.compare(0, text.size(), text) == 0;
    copied += "!";
  }
  for (int is_right : right)
    CHECK(is_right);
  CHECK_EQUAL(copied.size(), text.size());

  int cells[12][13] = {};
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2)
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 13; j++)
      raise_by_one(&cells[i][j]);
  for (auto& row : cells)
    for (int hits : row)
      CHECK_EQUAL(hits, 1);

#pragma omp parallel
#pragma omp single
#pragma omp taskloop if (0) shared(tasks)
  for (int i = 0; i < 30; i++)
    CHECK_EQUAL(tasks++, i);
  CHECK_EQUAL(tasks, 30);
  return finish();
}
