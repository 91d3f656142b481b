// schedule(runtime): every iteration type under each schedule OMP_SCHEDULE may name.
// run:
// run: OMP_SCHEDULE=static
// run: OMP_SCHEDULE=static,4
// run: OMP_SCHEDULE=dynamic,2
// run: OMP_SCHEDULE=guided,3
// run: OMP_SCHEDULE=auto
// run: OMP_SCHEDULE=monotonic:dynamic
// run: OMP_SCHEDULE=nonmonotonic:dynamic,5
// run with hetmp: OMP_SCHEDULE=hetprobe
// run with hetmp: OMP_SCHEDULE=hetprobe,33
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(runtime))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
