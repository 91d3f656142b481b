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
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_NODE_SCHEDULE=dynamic,3
// run with hetmp: OMP_SCHEDULE=hetprobe HETMP_DECISION=predict HETMP_NODE_SCHEDULE=guided
// run with hetmp: OMP_SCHEDULE=hetprobe-i
// run with hetmp: OMP_SCHEDULE=het_irregular OMP_HET_PTG=3
// run: OMP_SCHEDULE=dynamic
// run: OMP_SCHEDULE=static HETMP_CSR=1,4
// run: OMP_SCHEDULE=static HETMP_SCHEDULE=hetprobe-i,50
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(runtime))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
