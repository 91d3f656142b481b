#include "schedulers/learning/probe.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

/// Iterations each thread probes. Only products and quotients: the same number on every node, whatever its
/// CPU.
uint64_t share_size(uint64_t trips, uint32_t threads, double percent) {
  if (threads == 0)
    return 0;
  const uint64_t equal_share = trips / threads;
  const uint64_t least = std::min<uint64_t>(equal_share, 1);
  if (!(percent > 0))
    return least; // also when it is not a number
  const double wanted = static_cast<double>(trips) * std::min(percent, 100.0) / 100.0 / threads;
  // Compared before it is converted: near 2^64 the rounded product may not fit.
  if (wanted >= static_cast<double>(equal_share))
    return equal_share;
  return std::max(least, static_cast<uint64_t>(wanted));
}

} // namespace

Range probe_share(uint64_t trips, uint32_t threads, double percent, uint32_t thread) {
  const uint64_t share = share_size(trips, threads, percent);
  if (thread >= threads)
    return {share * threads, share * threads};
  return {share * thread, share * thread + share};
}

Range after_probe(uint64_t trips, uint32_t threads, double percent) {
  return {share_size(trips, threads, percent) * threads, trips};
}

bool worth_probing(uint64_t trips, uint32_t threads, double percent) {
  return threads > 0 && percent > 0 && trips / threads >= 2;
}

} // namespace hetmp::schedulers
