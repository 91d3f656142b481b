#include "schedulers/arithmetic/static_shares.hpp"

#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/arithmetic/split.hpp"

#include <numeric>

namespace hetmp::schedulers {
namespace {

uint32_t threads_before(const LoopShape& shape, uint32_t node) {
  return std::accumulate(shape.threads.begin(), shape.threads.begin() + node, 0u);
}

bool equal_in(const LoopShape& shape, const CoreSpeeds& speeds) {
  double first = -1;
  for (uint32_t node = 0; node < shape.nodes(); ++node) {
    if (shape.threads[node] == 0)
      continue;
    if (first < 0)
      first = speeds[node];
    else if (speeds[node] != first)
      return false;
  }
  return true;
}

} // namespace

Range node_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node) {
  if (node >= shape.nodes() || shape.threads[node] == 0)
    return {shape.trips, shape.trips};
  if (equal_in(shape, speeds)) {
    const uint32_t before = threads_before(shape, node);
    const uint32_t total = threads_before(shape, shape.nodes());
    return {static_share(shape.trips, total, before).begin,
            static_share(shape.trips, total, before + shape.threads[node] - 1).end};
  }
  std::vector<double> speed(shape.nodes());
  for (uint32_t i = 0; i < shape.nodes(); ++i)
    speed[i] = speeds[i];
  return split_by_speed({0, shape.trips}, speed.data(), shape.threads.data(), shape.nodes())[node];
}

// A node's threads have consecutive numbers, so in its part of an equal division, too, the shares that are
// larger by one come first: dividing the part again gives each thread what the division among all threads
// gave it.
Range thread_share(const LoopShape& shape, const CoreSpeeds& speeds, uint32_t node, uint32_t thread) {
  const Range whole = node_share(shape, speeds, node);
  const uint32_t threads = node < shape.nodes() ? shape.threads[node] : 0;
  const Range part = static_share(whole.size(), threads, thread);
  return {whole.begin + part.begin, whole.begin + part.end};
}

} // namespace hetmp::schedulers
