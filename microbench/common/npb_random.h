/* The pseudo-random generator of the NAS Parallel Benchmarks: x <- a * x mod 2^46, with a = 5^13.
 * 2^46 divides 2^64, so unsigned 64-bit products that wrap around still have the right low 46 bits, and every
 * x * 2^-46 is an exact double. */
#pragma once

#include <stdint.h>

#define NPB_MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define NPB_MODULUS_MASK ((UINT64_C(1) << 46) - 1)

/* Advances the state by one step and returns it scaled to (0, 1). */
static inline double npb_random(uint64_t* state) {
  *state = (*state * NPB_MULTIPLIER) & NPB_MODULUS_MASK;
  return (double)*state * 0x1p-46;
}

/* The state `steps` steps after `state`, in O(log steps) products. */
static inline uint64_t npb_random_skip(uint64_t state, uint64_t steps) {
  uint64_t power = NPB_MULTIPLIER;
  for (; steps != 0; steps >>= 1) {
    if (steps & 1)
      state = (state * power) & NPB_MODULUS_MASK;
    power = (power * power) & NPB_MODULUS_MASK;
  }
  return state;
}
