// schedule(dynamic): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(dynamic))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
