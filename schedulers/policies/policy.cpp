#include "schedulers/policies/policy.hpp"

#include "schedulers/policies/hetprobe.hpp"
#include "schedulers/policies/hierarchical_dynamic.hpp"
#include "schedulers/policies/hierarchical_static.hpp"

#include <numeric>

namespace hetmp::schedulers {

uint64_t Assignment::size() const {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < piece_count; ++i)
    sum += pieces[i].size();
  return sum;
}

bool Assignment::add(Range piece) {
  if (piece.empty())
    return true;
  if (piece_count == most_pieces)
    return false;
  pieces[piece_count++] = piece;
  return true;
}

uint32_t LoopShape::total_threads() const { return std::accumulate(threads.begin(), threads.end(), uint32_t{0}); }

void LoopPolicy::report(uint32_t node, const NodeMeasurement& done) {}

} // namespace hetmp::schedulers
