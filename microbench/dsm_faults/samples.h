/* Times of single events and what is said about them; and the order in which pages are visited. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE_BYTES = 4096 };

static inline uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare_times(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

/* "name: <median> us (p10 <..>, p90 <..>)"; sorts the times. */
static inline void report_times(const char* name, uint64_t* ns, size_t count) {
  qsort(ns, count, sizeof *ns, compare_times);
  printf("%s: %.2f us (p10 %.2f, p90 %.2f)\n", name, (double)ns[count / 2] / 1e3, (double)ns[count / 10] / 1e3,
         (double)ns[count - 1 - count / 10] / 1e3);
}

/* The numbers 0 .. count-1 in a random order that is the same in every run: neighbours in time are no
 * neighbours in memory, so nothing that looks ahead can help. */
static inline void shuffle(uint32_t* order, size_t count) {
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < count; ++i)
    order[i] = (uint32_t)i;
  for (size_t i = count - 1; i > 0; --i) {
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    const size_t j = state % (i + 1);
    const uint32_t other = order[j];
    order[j] = order[i];
    order[i] = other;
  }
}
