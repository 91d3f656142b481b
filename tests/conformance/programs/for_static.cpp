// schedule(static): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(static))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
