// Untied tasks, of which clang makes parts: at home a thread that waits in one finds further parts of those above it,
// and must not begin them. Elsewhere, and on journeys, one part follows the other. A stock libomp has threads that wait
// begin them, and waits for ever when there are several.
// run: OMP_NUM_THREADS=1
// run with hetmp: OMP_NUM_THREADS=7
// run with hetmp: HETMP_PLACEMENT=journeys:1
// run with hetmp: HETMP_PLACEMENT=journeys:2 OMP_NUM_THREADS=7
// run with hetmp: HETMP_PLACEMENT=journeys:3 OMP_NUM_THREADS=3
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::computes_abroad;

std::atomic<long> in_parts{0};

/// What a task shares with its children stays where it is, whoever executes its next part.
void divide(int depth, long& sum) {
  if (depth == 0) {
    in_parts += computes_abroad(2);
    sum = 1;
    return;
  }
#pragma omp task untied shared(sum) firstprivate(depth)
  {
    long left = 0, right = 0, own = depth;
    in_parts += computes_abroad(2);
#pragma omp task untied shared(left) firstprivate(depth)
    divide(depth - 1, left);
    in_parts += computes_abroad(1);
    own++;
#pragma omp task untied shared(right) firstprivate(depth)
    {
      divide(depth - 1, right);
#pragma omp taskwait
      computes_abroad(1);
#pragma omp task untied shared(right)
      right += 1;
#pragma omp taskwait
    }
#pragma omp taskyield
    own += depth;
#pragma omp taskwait
    sum = left + right + own;
  }
#pragma omp taskwait
}

long divide_alone(int depth) { return depth == 0 ? 1 : 2 * divide_alone(depth - 1) + 2 * depth + 2; }

void divisions() {
  long sums[3] = {};
#pragma omp parallel
#pragma omp single
  for (long& sum : sums)
    divide(4, sum);
  for (const long sum : sums)
    CHECK_EQUAL(sum, divide_alone(4));
}

} // namespace

int main() {
  for (int round = 0; round < 5; ++round)
    divisions();
  if (stress::threads_must_travel())
    for (int more = 0; in_parts == 0; ++more) {
      CHECK(more < 100);
      divisions();
    }
}
