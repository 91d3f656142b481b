// schedule(guided): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(guided))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
