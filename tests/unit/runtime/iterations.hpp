// A loop's iterations, and what became of each.
#pragma once

#include "kmpc.hpp"

#include <atomic>
#include <limits>
#include <vector>

namespace hetmp::test {

/// Holds every value of every loop type.
__extension__ typedef __int128 Wide;

/// for (T i = first; i has not passed last; i += increment). Values are wider than T: they do not wrap.
template <class T> struct Iterations {
  using Signed = std::make_signed_t<T>;
  T first;
  T last;
  Signed increment;

  size_t count() const {
    const Wide distance = (Wide(last) - Wide(first)) / increment;
    return (increment > 0 ? last < first : last > first) ? 0 : size_t(distance) + 1;
  }
  bool within(Wide value, Wide limit) const { return increment > 0 ? value <= limit : value >= limit; }
};

/// How often each iteration was executed, and by plain memory in what state others find it.
template <class T> class Visits {
 public:
  explicit Visits(const Iterations<T>& loop) : loop_(loop), counts_(loop.count()), values_(loop.count()) {}

  /// Executes the iterations of one chunk.
  void visit(Wide lower, Wide upper) {
    for (Wide value = lower; loop_.within(value, upper); value += loop_.increment) {
      const Wide index = (value - loop_.first) / loop_.increment;
      if ((value - loop_.first) % loop_.increment != 0 || index < 0 || size_t(index) >= counts_.size()) {
        strays_++;
        return;
      }
      counts_[size_t(index)].fetch_add(1, std::memory_order_relaxed);
      values_[size_t(index)] = int(index);
    }
  }

  void saw_last() { lasts_++; }

  /// After a barrier or the region's end: every iteration once, and one thread was told that it had the last.
  void expect_each_once() const {
    EXPECT_EQ(strays_, 0);
    for (size_t index = 0; index < counts_.size(); index++) {
      ASSERT_EQ(counts_[index].load(std::memory_order_relaxed), 1) << "iteration " << index << " of " << counts_.size();
      ASSERT_EQ(values_[index], int(index));
    }
    EXPECT_EQ(lasts_, counts_.empty() ? 0 : 1);
  }

 private:
  Iterations<T> loop_;
  std::vector<std::atomic<int>> counts_;
  std::vector<int> values_;
  std::atomic<int> strays_{0};
  std::atomic<int> lasts_{0};
};

template <class T> std::vector<Iterations<T>> loops_of_type() {
  constexpr T greatest = std::numeric_limits<T>::max();
  constexpr T least = std::numeric_limits<T>::min();
  return {{0, 99, 1},
          {5, 5, 1},
          {10, 9, 1},
          {3, 500, 7},
          {97, 3, -1},
          {500, 4, -9},
          {T(greatest - 200), greatest, 1},
          {T(least + 50), least, -1}};
}

} // namespace hetmp::test
