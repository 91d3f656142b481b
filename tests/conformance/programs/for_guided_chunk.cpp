// schedule(guided, chunk): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(guided, 5))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
