// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// Each reduction operator over each kind of number, by each method the runtime may choose.
// flags: -latomic
// run:
// run: KMP_FORCE_REDUCTION=critical
// run: KMP_FORCE_REDUCTION=atomic
// run: KMP_FORCE_REDUCTION=tree
#include "check.h"

#include <omp.h>

// clang-format off: it takes pragmas in macros for something else

enum { count = 40 };

#define CHECK_ARITHMETIC(type) \
  do { \
    type sum = 5, product = 3, low = 100, high = -100, difference = 1; \
    PRAGMA(omp parallel for reduction(+ : sum) reduction(* : product) reduction(min : low) \
           reduction(max : high) reduction(- : difference)) \
    for (int i = 0; i < count; i++) { \
      sum += (type)i; \
      if (i % 10 == 3) \
        product *= 2; \
      const type x = (type)((i * 17) % count - 10); \
      low = x < low ? x : low; \
      high = x > high ? x : high; \
      difference -= 1; \
    } \
    CHECK(sum == (type)(5 + count * (count - 1) / 2)); \
    CHECK(product == 48); \
    CHECK(low == -10); \
    CHECK(high == count - 11); \
    CHECK(difference == 1 - count); \
  } while (0)

#define CHECK_BITS(type) \
  do { \
    type both = (type)~(type)0, any = 0, odd = 0; \
    int all = 1, some = 0; \
    PRAGMA(omp parallel for reduction(& : both) reduction(| : any) reduction(^ : odd) reduction(&& : all) \
           reduction(|| : some) schedule(dynamic, 3)) \
    for (int i = 0; i < count; i++) { \
      both &= (type) ~((type)1 << i % 7); \
      any |= (type)((type)1 << i % 5); \
      odd ^= (type)(i + 1); \
      all = all && i < count; \
      some = some || i == 17; \
    } \
    CHECK(both == (type) ~(type)127); \
    CHECK(any == 31); \
    CHECK(odd == 40); \
    CHECK(all == 1 && some == 1); \
  } while (0)
#define PRAGMA(...) DO_PRAGMA(__VA_ARGS__)
#define DO_PRAGMA(...) _Pragma(#__VA_ARGS__)

int main(void) {
  CHECK_ARITHMETIC(short);
  CHECK_ARITHMETIC(int);
  CHECK_ARITHMETIC(long long);
  CHECK_ARITHMETIC(float);
  CHECK_ARITHMETIC(double);
  CHECK_ARITHMETIC(long double);
  CHECK_BITS(unsigned char);
  CHECK_BITS(short);
  CHECK_BITS(unsigned);
  CHECK_BITS(unsigned long long);
  return finish();
}
