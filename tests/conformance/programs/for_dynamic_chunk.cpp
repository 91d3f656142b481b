// schedule(dynamic, chunk): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(dynamic, 7))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
