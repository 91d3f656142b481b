// What the iterations of a simulated loop cost.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace hetmp::simulation {

/// Microseconds of work of every iteration, on a thread of speed 1.
class CostProfile {
 public:
  CostProfile() = default;
  CostProfile(uint64_t trips, const std::function<double(uint64_t)>& work_us);

  uint64_t trips() const { return sums_.empty() ? 0 : sums_.size() - 1; }
  double work(schedulers::Range range) const { return sums_[range.end] - sums_[range.begin]; }
  double work(uint64_t iteration) const { return work(schedulers::Range{iteration, iteration + 1}); }
  double total() const { return sums_.empty() ? 0 : sums_.back(); }

 private:
  std::vector<double> sums_; ///< element i: of the iterations before i
};

/// The published irregular shapes, and the regular one.
enum class Shape : uint8_t {
  Constant,    ///< all iterations alike
  Step,        ///< the first half costs `contrast` times as much as the second
  StepUp,      ///< the second half costs `contrast` times as much as the first
  RampUp,      ///< from 1 to `contrast` times the cheapest, linearly
  RampDown,    ///< from `contrast` times the cheapest down to it
  Alternating, ///< 32 blocks, every other one `contrast` times as dear
  Bursts,      ///< one of ten blocks of 1/500 of the loop, chosen by the seed, is `contrast` times as dear
};

/// All of them, with the names that users give them.
struct NamedShape {
  Shape shape;
  std::string_view name;
};
inline constexpr auto all_shapes = std::to_array<NamedShape>({
    {Shape::Constant, "constant"},
    {Shape::Step, "step"},
    {Shape::StepUp, "step-up"},
    {Shape::RampUp, "ramp-up"},
    {Shape::RampDown, "ramp-down"},
    {Shape::Alternating, "alternating"},
    {Shape::Bursts, "bursts"},
});

/// A loop of `trips` iterations with `total_us` of work in all.
CostProfile make_profile(Shape shape, uint64_t trips, double total_us, double contrast, uint64_t seed);

} // namespace hetmp::simulation
