// How threads compute with floating-point numbers is what the thread that meets a region has set, for all its members,
// wherever they are, and in regions inside of it; what a member sets for itself ends with the region.
#include "check.h"

#include <fenv.h>
#include <immintrin.h>
#include <omp.h>

static volatile double one = 1, three = 3;
static volatile double denormal = 1e-310;
static volatile long double long_one = 1, long_three = 3;

static double third(void) { return one / three; }
static long double long_third(void) { return long_one / long_three; }

// What main computes with the same settings.
static double want;
static long double long_want;

static void expect(int rounding, unsigned zeroes) {
  CHECK_EQUAL(fegetround(), rounding);
  CHECK_EQUAL(_mm_getcsr() & 0x8040, zeroes);
  CHECK(third() == want);
  CHECK(long_third() == long_want);
  CHECK_EQUAL(denormal * 2 == 0, zeroes != 0);
}

static void in_regions(int rounding, unsigned zeroes) {
  fesetround(rounding);
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | zeroes);
  want = third();
  long_want = long_third();
  for (int again = 0; again < 3; again++) {
#pragma omp parallel num_threads(4)
    {
      expect(rounding, zeroes);
#pragma omp parallel num_threads(2)
      expect(rounding, zeroes);
      if (omp_get_thread_num() != 0)
        fesetround(FE_TOWARDZERO);
    }
  }
}

int main(void) {
  fesetround(FE_UPWARD);
  want = third();
  fesetround(FE_DOWNWARD);
  CHECK(third() < want);
  omp_set_max_active_levels(2);
  in_regions(FE_TONEAREST, 0);
  in_regions(FE_UPWARD, 0);
  in_regions(FE_DOWNWARD, 0x8040);
  in_regions(FE_TONEAREST, 0x8040);
  in_regions(FE_TONEAREST, 0);
  return finish();
}
