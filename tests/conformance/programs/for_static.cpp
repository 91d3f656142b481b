// schedule(static): every iteration type, stride and bound.
// run: HETMP_LOOPS=runtime
// run: HETMP_LOOPS=all
// run: HETMP_CSR=3,1
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(static))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
