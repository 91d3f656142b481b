// Iterations that are left of a loop when some from its middle are done: disjoint ranges in ascending order.
// The holes are what the paper calls jumps (section 3.3).
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

class IterationSet {
 public:
  IterationSet() = default;
  explicit IterationSet(Range range);

  bool empty() const { return ranges_.empty(); }
  uint64_t size() const { return size_; }
  const std::vector<Range>& ranges() const { return ranges_; }

  /// Takes the first (last) `count` iterations out, all of them if there are fewer, and returns them.
  IterationSet take_front(uint64_t count);
  IterationSet take_back(uint64_t count);
  /// Takes out what both sets have, and returns it.
  IterationSet take(Range range);

  /// Puts iterations in. They must not be there already. Adjacent ranges become one.
  void put(Range range);
  void put(const IterationSet& other);

  bool operator==(const IterationSet&) const = default;

 private:
  std::vector<Range> ranges_;
  uint64_t size_ = 0;
};

} // namespace hetmp::schedulers
