// Teams and loops drawn at random, the awkward ones often.
#pragma once

#include "schedulers/arithmetic/loop.hpp"
#include "schedulers/policies/policy.hpp"

#include <gtest/gtest.h>
#include <random>

namespace hetmp::schedulers {

/// From 0 to 2^64 - 1, of any magnitude.
inline uint64_t random_trips(std::mt19937_64& random) {
  switch (random() % 8) {
  case 0:
    return random() % 3;
  case 1:
    return std::numeric_limits<uint64_t>::max() - random() % 3;
  case 2:
    return random() >> random() % 64;
  default:
    return random() % 3000;
  }
}

/// 1 to 64 nodes, some of them empty, but not all.
inline std::vector<uint32_t> random_team(std::mt19937_64& random) {
  std::vector<uint32_t> threads(1 + random() % (random() % 4 == 0 ? most_nodes : 5));
  for (uint32_t& count : threads)
    count = random() % 4 == 0 ? 0 : static_cast<uint32_t>(1 + random() % 8);
  uint32_t& one = threads[random() % threads.size()];
  one = std::max(one, 1u);
  return threads;
}

inline LoopShape random_shape(std::mt19937_64& random) { return {random_trips(random), random_team(random)}; }

/// for (T i = lower; i <= upper; i += stride), or >= with a negative stride.
template <class T> struct RandomLoop {
  using Stride = std::make_signed_t<T>;
  T lower = 0;
  T upper = 0;
  Stride stride = 1;

  static RandomLoop draw(std::mt19937_64& random) {
    RandomLoop loop;
    loop.lower = bound(random);
    loop.upper = bound(random);
    const Stride strides[] = {1,
                              -1,
                              2,
                              -3,
                              std::numeric_limits<Stride>::max(),
                              std::numeric_limits<Stride>::min(),
                              static_cast<Stride>(random() | 1),
                              static_cast<Stride>(random() % 100 + 1)};
    loop.stride = strides[random() % std::size(strides)];
    const bool runs = loop.stride > 0 ? loop.lower <= loop.upper : loop.lower >= loop.upper;
    if (!runs && random() % 8 != 0)
      std::swap(loop.lower, loop.upper);
    return loop;
  }

  /// The first and the last iteration of a chunk have values between the bounds, and the values are those of
  /// their numbers: so are all between.
  void expect_within(Range chunk) const {
    for (const uint64_t index : {chunk.begin, chunk.end - 1}) {
      const T value = iteration_value(lower, stride, index);
      const bool up = stride > 0;
      ASSERT_TRUE(up ? lower <= value && value <= upper : upper <= value && value <= lower);
      using Unsigned = std::make_unsigned_t<T>;
      const auto distance =
          static_cast<Unsigned>(up ? Unsigned(value) - Unsigned(lower) : Unsigned(lower) - Unsigned(value));
      const auto step = static_cast<Unsigned>(up ? Unsigned(stride) : Unsigned(0) - Unsigned(stride));
      ASSERT_EQ(distance / step, index);
      ASSERT_EQ(distance % step, 0u);
    }
  }

 private:
  static T bound(std::mt19937_64& random) {
    const T low = std::numeric_limits<T>::min();
    const T high = std::numeric_limits<T>::max();
    const T bounds[] = {low,  static_cast<T>(low + 1),  static_cast<T>(high - 1),       high,
                        T(0), static_cast<T>(random()), static_cast<T>(random() % 1000)};
    return bounds[random() % std::size(bounds)];
  }
};

} // namespace hetmp::schedulers
