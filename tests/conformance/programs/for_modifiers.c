// clang-format off
// It would put a _Pragma and the statement behind it on one line.
// monotonic and nonmonotonic: all iterations once; under monotonic each thread sees its own in ascending
// order.
#include "check.h"

#include <omp.h>

enum { count = 300 };
static int visits[count];

#define RUN(clause, ascending)                                                                               \
  do {                                                                                                       \
    for (int i = 0; i < count; i++)                                                                          \
      visits[i] = 0;                                                                                         \
    PRAGMA(omp parallel) {                                                                                   \
      int last = -1;                                                                                         \
      PRAGMA(omp for schedule(clause))                                                                       \
      for (int i = 0; i < count; i++) {                                                                      \
        raise_by_one(&visits[i]);                                                                            \
        if (ascending)                                                                                       \
          CHECK(i > last);                                                                                   \
        last = i;                                                                                            \
      }                                                                                                      \
    }                                                                                                        \
    for (int i = 0; i < count; i++)                                                                          \
      CHECK_EQUAL(visits[i], 1);                                                                             \
  } while (0)
#define PRAGMA(text) DO_PRAGMA(text)
#define DO_PRAGMA(text) _Pragma(#text)
#define COMMA ,

int main(void) {
  RUN(monotonic : static COMMA 3, 1);
  RUN(monotonic : dynamic, 1);
  RUN(monotonic : dynamic COMMA 4, 1);
  RUN(monotonic : guided, 1);
  RUN(nonmonotonic : dynamic, 0);
  RUN(nonmonotonic : dynamic COMMA 4, 0);
  RUN(nonmonotonic : guided COMMA 2, 0);
  RUN(simd : static, 0);
  return finish();
}
