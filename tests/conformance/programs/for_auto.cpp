// schedule(auto): every iteration type, stride and bound.
#include "loops.hpp"

namespace {
DEFINE_LOOPS(schedule(auto))
} // namespace

int main() {
  CHECK_ALL_TYPES();
  return finish();
}
