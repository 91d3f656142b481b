// schedule(static, chunk): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(static, 3))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
