// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// Loops of every iteration type under one schedule: each iteration must run exactly once, whatever the
// bounds.
#pragma once

#include "check.h"

#include <cstdint>
#include <limits>
#include <omp.h>
#include <vector>

// Runs `T i = begin; i < end or i > end; i += or -= step` and counts the visits of each iteration.
#define DEFINE_LOOPS(clauses)                                                                                \
  template <class T>                                                                                         \
  void run_up(T begin, T end, T step, std::vector<int>& visits) {                                            \
    int* counts = visits.data();                                                                             \
    _Pragma("omp parallel") {                                                                                \
      PRAGMA(omp for clauses)                                                                                \
      for (T i = begin; i < end; i += step)                                                                  \
        raise_by_one(&counts[(uint64_t(i) - uint64_t(begin)) / uint64_t(step)]);                             \
    }                                                                                                        \
  }                                                                                                          \
  template <class T>                                                                                         \
  void run_down(T begin, T end, T step, std::vector<int>& visits) {                                          \
    int* counts = visits.data();                                                                             \
    _Pragma("omp parallel") {                                                                                \
      PRAGMA(omp for clauses)                                                                                \
      for (T i = begin; i > end; i -= step)                                                                  \
        raise_by_one(&counts[(uint64_t(begin) - uint64_t(i)) / uint64_t(step)]);                             \
    }                                                                                                        \
  }
#define PRAGMA(text) _Pragma(#text)

template <class T>
using Loop = void (*)(T, T, T, std::vector<int>&);

/// `distance` = how far the end lies from the begin, without overflow.
template <class T>
void check_loop(Loop<T> loop, T begin, T end, T step, uint64_t distance) {
  const uint64_t trips = distance / uint64_t(step) + (distance % uint64_t(step) != 0);
  std::vector<int> visits(trips + 1);
  loop(begin, end, step, visits);
  for (uint64_t i = 0; i < trips; ++i)
    CHECK_EQUAL(visits[i], 1);
  CHECK_EQUAL(visits[trips], 0);
}

// gcc's code, like the loop without the directive, goes one step past the last iteration before it compares, and counts the
// iterations of signed loops in T. What overflows then is not to be expected of it; clang counts in an unsigned type first.
// Also, it passes a step downwards of a 32-bit unsigned loop on as a large one upwards, and libgomp does as it is told, too.
#if defined(__clang__)
constexpr bool may_overflow = true;
#else
constexpr bool may_overflow = false;
#endif
template <class T>
constexpr bool may_go_down = may_overflow || std::numeric_limits<T>::is_signed || sizeof(T) == sizeof(uint64_t);

template <class T>
void check_type(Loop<T> up, Loop<T> down) {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  check_loop<T>(up, 0, 0, 1, 0);
  check_loop<T>(up, 5, 2, 1, 0);
  check_loop<T>(up, 0, 1, 1, 1);
  check_loop<T>(up, 0, 3, 1, 3);
  check_loop<T>(up, 0, 101, 1, 101);
  check_loop<T>(up, 7, 208, 3, 201);
  if (may_go_down<T>) {
    check_loop<T>(down, 2, 5, 1, 0);
    check_loop<T>(down, 100, 0, 1, 100);
    check_loop<T>(down, 208, 7, 5, 201);
    check_loop<T>(down, high, T(high - 40), 1, 40);
    check_loop<T>(down, T(low + 42), T(low + 2), 3, 40);
  }
  // At both ends of the type, and from one to the other.
  check_loop<T>(up, low, T(low + 40), 1, 40);
  check_loop<T>(up, T(high - 41), T(high - 1), 2, 40);
  if (may_overflow) {
    check_loop<T>(up, T(high - 40), high, 3, 40);
    check_loop<T>(down, T(low + 40), low, 7, 40);
  }
  const T step = T(high / 9); // the count of iterations must stay computable in T, so not quite to the end
  if (may_overflow || !std::numeric_limits<T>::is_signed)
    check_loop<T>(up, low, T(high - 2 * step), step, uint64_t(T(high - 2 * step)) - uint64_t(low));
}

#define CHECK_ALL_TYPES()                                                                                    \
  do {                                                                                                       \
    check_type<int32_t>(run_up<int32_t>, run_down<int32_t>);                                                 \
    check_type<uint32_t>(run_up<uint32_t>, run_down<uint32_t>);                                              \
    check_type<int64_t>(run_up<int64_t>, run_down<int64_t>);                                                 \
    check_type<uint64_t>(run_up<uint64_t>, run_down<uint64_t>);                                              \
  } while (0)
