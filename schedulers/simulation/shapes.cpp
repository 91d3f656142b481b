#include "schedulers/simulation/shapes.hpp"

#include "base/mixed.hpp"

#include <algorithm>

namespace hetmp::simulation {
namespace {

constexpr uint64_t alternating_blocks = 32;
constexpr uint64_t burst_blocks = 500;
constexpr uint64_t blocks_per_burst = 10;

/// Which of `blocks` equal blocks an iteration is in.
uint64_t block_of(uint64_t iteration, uint64_t trips, uint64_t blocks) {
  return static_cast<uint64_t>(static_cast<double>(iteration) / static_cast<double>(trips) *
                               static_cast<double>(blocks));
}

/// Of an iteration, with the cheapest as the unit.
double relative_cost(Shape shape, uint64_t i, uint64_t trips, double contrast, uint64_t seed) {
  const double place = trips > 1 ? static_cast<double>(i) / static_cast<double>(trips - 1) : 0;
  const bool first_half = i < trips / 2;
  switch (shape) {
  case Shape::Constant:
    return 1;
  case Shape::Step:
    return first_half ? contrast : 1;
  case Shape::StepUp:
    return first_half ? 1 : contrast;
  case Shape::RampUp:
    return 1 + (contrast - 1) * place;
  case Shape::RampDown:
    return contrast - (contrast - 1) * place;
  case Shape::Alternating:
    return block_of(i, trips, alternating_blocks) % 2 == 0 ? contrast : 1;
  case Shape::Bursts:
    return mixed(seed, block_of(i, trips, burst_blocks)) % blocks_per_burst == 0 ? contrast : 1;
  }
  return 1;
}

} // namespace

CostProfile::CostProfile(uint64_t trips, const std::function<double(uint64_t)>& work_us) {
  sums_.reserve(trips + 1);
  sums_.push_back(0);
  for (uint64_t i = 0; i < trips; ++i)
    sums_.push_back(sums_.back() + work_us(i));
}

CostProfile make_profile(Shape shape, uint64_t trips, double total_us, double contrast, uint64_t seed) {
  double total = 0;
  for (uint64_t i = 0; i < trips; ++i)
    total += relative_cost(shape, i, trips, contrast, seed);
  const double unit = total > 0 ? total_us / total : 0;
  return {trips, [&](uint64_t i) { return unit * relative_cost(shape, i, trips, contrast, seed); }};
}

} // namespace hetmp::simulation
