#include "runtime/calibration/compute.hpp"

namespace hetmp::calibration {
namespace {

/// Four numbers: what every 64-bit processor in question works on at once without asking for extensions. One
/// addition or multiplication of a number counts as one operation.
typedef float Lanes __attribute__((vector_size(16), may_alias));

/// So many chains of dependent operations hide the latency of each other.
constexpr size_t chains = 8;
constexpr size_t blocks = page_bytes / (chains * sizeof(Lanes));
/// A round does two operations on each number, that is, half an operation a byte.
constexpr uint64_t rounds_per_operation = sizeof(float) / 2;

} // namespace

void compute(char* page, uint64_t operations_per_byte) {
  const Lanes factor = {0.75F, 0.75F, 0.75F, 0.75F}; // the numbers approach 1: none becomes slow to compute with
  const Lanes summand = {0.25F, 0.25F, 0.25F, 0.25F};
  const uint64_t rounds = operations_per_byte * rounds_per_operation;
  auto* numbers = reinterpret_cast<Lanes*>(page);
  for (size_t block = 0; block < blocks; ++block, numbers += chains) {
    Lanes values[chains];
    for (size_t i = 0; i < chains; ++i)
      values[i] = numbers[i];
    for (uint64_t round = 0; round < rounds; ++round)
      for (size_t i = 0; i < chains; ++i)
        values[i] = values[i] * factor + summand;
    for (size_t i = 0; i < chains; ++i)
      numbers[i] = values[i];
  }
}

} // namespace hetmp::calibration
