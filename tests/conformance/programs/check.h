// What the programs share: CHECK() counts what is not so, finish() turns the count into the exit code.
#pragma once

#include <stdio.h>

static int check_failures;

// May stand anywhere, also in a region. The first few failures are told.
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition) && __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED) < 5)                                  \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                          \
  } while (0)

#define CHECK_EQUAL(actual, expected)                                                                                  \
  do {                                                                                                                 \
    const long long actual_value = (long long)(actual), expected_value = (long long)(expected);                        \
    if (actual_value != expected_value && __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED) < 5)                \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #actual, actual_value, expected_value);     \
  } while (0)

static inline int finish(void) { return check_failures != 0; }

// A counter that threads may raise; a function, so that no construct under test is needed for it.
static inline int raise_by_one(int* counter) { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
