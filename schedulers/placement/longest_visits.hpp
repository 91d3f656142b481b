// How long the next visit of a region takes at most, by what was seen of it so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace hetmp::schedulers {

/// The two longest visits. A region may have much to do now and little then, so the longest is to be expected again;
/// but once all others have lasted far longer without one like it, it was an exception, as a first visit is that finds
/// new memory and cold caches: then the second.
class LongestVisits {
 public:
  static constexpr double far_longer = 4; ///< times

  void add(double microseconds) {
    count_++;
    all_us_ += microseconds;
    if (microseconds > longest_us_)
      second_us_ = std::exchange(longest_us_, microseconds);
    else
      second_us_ = std::max(second_us_, microseconds);
  }

  bool known() const { return count_ != 0; }
  /// What is to be expected at most.
  double expected_us() const { return others_us() >= far_longer * longest_us_ ? second_us_ : longest_us_; }
  /// The mean of all but the longest.
  double mean_of_others_us() const { return others_us() / std::max(1.0, count_ - 1.0); }

 private:
  double others_us() const { return all_us_ - longest_us_; }

  uint32_t count_ = 0;
  double all_us_ = 0, longest_us_ = 0, second_us_ = 0;
};

} // namespace hetmp::schedulers
