#include "schedulers/arithmetic/split.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {
namespace {

__extension__ using Wide = unsigned __int128; // a trip count of 64 bits times a sum of weights of less than 64

bool usable(double weight) { return std::isfinite(weight) && weight > 0; }

/// Weights as integers of at most 2^31, so that the arithmetic on boundaries is exact. A usable weight never
/// becomes 0.
std::vector<uint64_t> integer_weights(const double* speed, const uint32_t* threads, uint32_t nodes) {
  std::vector<double> weights(nodes);
  double largest = 0;
  for (uint32_t i = 0; i < nodes; ++i) {
    const double weight = speed[i] * threads[i];
    weights[i] = usable(weight) ? weight : 0;
    largest = std::max(largest, weights[i]);
  }
  std::vector<uint64_t> result(nodes, 0);
  for (uint32_t i = 0; i < nodes; ++i) {
    if (largest == 0)
      result[i] = threads[i];
    else if (weights[i] > 0)
      result[i] = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(weights[i] / largest * 0x1p31)));
  }
  return result;
}

} // namespace

std::vector<Range> split_by_speed(Range all, const double* speed, const uint32_t* threads, uint32_t nodes) {
  std::vector<Range> shares(nodes);
  if (nodes == 0)
    return shares;
  std::vector<uint64_t> weights = integer_weights(speed, threads, nodes);
  uint64_t total = 0;
  for (uint64_t weight : weights)
    total += weight;
  if (total == 0)
    total = weights[0] = 1;

  // Boundary i is the rounded quota of nodes 0 .. i together: monotone because the sum is, `all.end` at the
  // last node.
  uint64_t sum = 0;
  uint64_t begin = all.begin;
  for (uint32_t i = 0; i < nodes; ++i) {
    sum += weights[i];
    const Wide quota = (Wide(all.size()) * sum + total / 2) / total;
    const uint64_t end = all.begin + static_cast<uint64_t>(quota);
    shares[i] = {begin, end};
    begin = end;
  }
  HETMP_CHECK(begin == all.begin + all.size());
  return shares;
}

} // namespace hetmp::schedulers
