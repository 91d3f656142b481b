// ordered with 32 and 64-bit, signed and unsigned iteration variables and strides other than one.
#include "check.h"

#include <cstdint>
#include <omp.h>
#include <vector>

template <class T> static void run(T begin, T end, T step) {
  std::vector<T> seen;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (T i = begin; i < end; i += step) {
#pragma omp ordered
    seen.push_back(i);
  }
  T expected = begin;
  for (T i : seen) {
    CHECK(i == expected);
    expected += step;
  }
  CHECK_EQUAL(seen.size(), (end - begin + step - 1) / step);
}

int main() {
  run<int32_t>(-20, 60, 3);
  run<uint32_t>(4000000000u, 4000000100u, 7);
  run<int64_t>(-(int64_t(1) << 40), -(int64_t(1) << 40) + 50, 1);
  run<uint64_t>(uint64_t(1) << 63, (uint64_t(1) << 63) + 90, 4);
  return finish();
}
