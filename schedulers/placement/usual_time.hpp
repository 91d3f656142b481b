// How long something usually takes, by what was seen of it so far.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hetmp::schedulers {

/// A mean that forgets: the last `memory` values count most. One value that is far above the others, a disturbance of
/// the machine, counts as three times the mean.
class UsualTime {
 public:
  static constexpr uint32_t memory = 16;
  static constexpr double most_of_mean = 3;

  UsualTime() = default;
  /// As if `count` values with that mean had been added.
  UsualTime(double mean_us, uint32_t count) : count_(count), mean_(mean_us) {}

  void add(double microseconds) {
    count_++;
    const double value = count_ > 3 ? std::min(microseconds, mean_ * most_of_mean) : microseconds;
    mean_ += (value - mean_) / double(std::min(count_, memory));
  }

  uint32_t count() const { return count_; }
  bool known() const { return count_ != 0; }
  double mean_us() const { return mean_; } ///< 0: not known

 private:
  uint32_t count_ = 0;
  double mean_ = 0;
};

} // namespace hetmp::schedulers
