// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// atomic: update, read, write and capture, over every width, with and without seq_cst.
#include "check.h"

#include <omp.h>

enum { threads = 4, rounds = 100 };

#define CHECK_TYPE(type)                                                                                     \
  do {                                                                                                       \
    static type sum, low = 100, bits;                                                                        \
    static int taken[threads * rounds];                                                                      \
    static type ticket;                                                                                      \
    const int numbers = (int)sizeof(type) == 1 ? 100 : threads * rounds;                                     \
    PRAGMA(omp parallel num_threads(threads))                                                                \
    for (int round = 0; round < rounds; round++) {                                                           \
      PRAGMA(omp atomic) sum += 1;                                                                           \
      PRAGMA(omp atomic update seq_cst) sum = sum - 1;                                                       \
      PRAGMA(omp atomic) bits = bits + (round == 3);                                                         \
      PRAGMA(omp atomic) low -= round < 5;                                                                   \
      type mine;                                                                                             \
      if (omp_get_thread_num() * rounds + round < numbers) {                                                 \
        PRAGMA(omp atomic capture) {                                                                         \
          mine = ticket;                                                                                     \
          ticket += 1;                                                                                       \
        }                                                                                                    \
        raise_by_one(&taken[(int)mine]);                                                                     \
      }                                                                                                      \
      PRAGMA(omp atomic read) mine = sum;                                                                    \
      CHECK(mine >= 0 && mine <= threads);                                                                   \
    }                                                                                                        \
    CHECK(sum == 0 && bits == threads && low == 100 - 5 * threads);                                          \
    for (int i = 0; i < numbers; i++)                                                                        \
      CHECK_EQUAL(taken[i], 1);                                                                              \
    PRAGMA(omp atomic write) sum = 42;                                                                       \
    CHECK(sum == 42);                                                                                        \
  } while (0)
#define PRAGMA(text) DO_PRAGMA(text)
#define DO_PRAGMA(text) _Pragma(#text)

int main(void) {
  CHECK_TYPE(signed char);
  CHECK_TYPE(short);
  CHECK_TYPE(int);
  CHECK_TYPE(long long);
  CHECK_TYPE(float);
  CHECK_TYPE(double);
  return finish();
}
