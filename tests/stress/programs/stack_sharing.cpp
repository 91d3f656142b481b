// Variables on stacks: main's shared ones, deep recursion, and locals of one thread that others read and
// write.
#include "stress.hpp"

#include <cstring>
#include <omp.h>

namespace {

constexpr int team = 6;

/// Shared locals of a recursive function: each depth has its own region over its own frame.
int recurse(int depth) {
  int local[40], sum = 0;
  for (int i = 0; i < 40; ++i)
    local[i] = depth;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int i = 0; i < 40; ++i) {
    local[i] += i;
    sum += local[i];
  }
  CHECK_EQUAL(sum, 40 * depth + 780);
  const int below = depth > 0 ? recurse(depth - 1) : 0;
  for (int i = 0; i < 40; ++i)
    CHECK_EQUAL(local[i], depth + i); // the frames below did not touch this one
  return below + sum;
}

void large_frame() {
  char frame[1 << 20];
  memset(frame, 1, sizeof frame);
  long sum = 0;
#pragma omp parallel for num_threads(team) schedule(dynamic, 4096) reduction(+ : sum)
  for (size_t i = 0; i < sizeof frame; i += 64) {
    sum += frame[i];
    frame[i] = char(i / 64);
  }
  CHECK_EQUAL(sum, sizeof frame / 64);
  for (size_t i = 0; i < sizeof frame; i += 64)
    CHECK_EQUAL(frame[i], char(i / 64));
}

void locals_of_others() {
  int* local_of[team];
#pragma omp parallel num_threads(team)
  {
    const int me = omp_get_thread_num();
    int local[8];
    for (int i = 0; i < 8; ++i)
      local[i] = me * 8 + i;
    local_of[me] = local;
    for (int round = 1; round < team; ++round) {
#pragma omp barrier
      int* theirs = local_of[(me + round) % team];
      for (int i = 0; i < 8; ++i)
        theirs[i] += 1;
    }
#pragma omp barrier
    for (int i = 0; i < 8; ++i)
      CHECK_EQUAL(local[i], me * 8 + i + team - 1);
  }
}

/// Frames of all threads in use while the stack grows and shrinks by hundreds of pages.
int deep(int depth, volatile int* shared) {
  volatile char frame[3000];
  frame[depth % 3000] = char(depth);
  if (depth == 0) {
#pragma omp atomic
    (*const_cast<int*>(shared))++;
    return 0;
  }
  const int result = deep(depth - 1, shared);
  CHECK_EQUAL(frame[depth % 3000], char(depth));
  return result + 1;
}

void variables_beside_each_other() {
  volatile int a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 20'000; ++i)
    switch (omp_get_thread_num()) {
    case 0:
      a = a + 1;
      break;
    case 1:
      b = b + 1;
      break;
    case 2:
      c = c + 1;
      break;
    default:
      d = d + 1;
    }
  CHECK_EQUAL(a, 20'000);
  CHECK_EQUAL(b, 20'000);
  CHECK_EQUAL(c, 20'000);
  CHECK_EQUAL(d, 20'000);
}

} // namespace

int main() {
  for (int round = 0; round < 3; ++round) {
    CHECK_EQUAL(recurse(20), 40 * 210 + 21 * 780);
    large_frame();
    locals_of_others();
    int arrived = 0;
#pragma omp parallel num_threads(team)
    CHECK_EQUAL(deep(200, &arrived), 200);
    CHECK_EQUAL(arrived, team);
    variables_beside_each_other();
  }
}
