#include "runtime/loops/loop_nest.hpp"

namespace hetmp::runtime {
namespace {

bool is_signed(IntegerType type) { return (int32_t(type) & 1) != 0; }

uint32_t bits_of(IntegerType type) { return 8u << (uint32_t(type) / 2); }

/// A step is signed even if the bounds are not.
IntegerType signed_type(IntegerType type) { return IntegerType(int32_t(type) | 1); }

bool is_less(IntegerType type, uint64_t a, uint64_t b) { return is_signed(type) ? int64_t(a) < int64_t(b) : a < b; }

bool depends(const NestedLoop& loop) {
  return (extended(loop.type, loop.lower_factor) | extended(loop.type, loop.upper_factor)) != 0;
}

} // namespace

uint64_t extended(IntegerType type, uint64_t bits) {
  const uint32_t unused = 64 - bits_of(type);
  return is_signed(type) ? uint64_t(int64_t(bits << unused) >> unused) : bits << unused >> unused;
}

void canonicalise(NestedLoop& loop) {
  const bool upwards = int64_t(extended(signed_type(loop.type), uint64_t(loop.step))) > 0;
  LoopComparison& comparison = loop.comparison;
  if (comparison == LoopComparison::NotEqual)
    comparison = upwards ? LoopComparison::Less : LoopComparison::Greater;
  // The bound may wrap round here: what depends on a variable comes on top of it.
  if (comparison == LoopComparison::Less) {
    comparison = LoopComparison::LessOrEqual;
    loop.upper = extended(loop.type, loop.upper - 1);
  } else if (comparison == LoopComparison::Greater) {
    comparison = LoopComparison::GreaterOrEqual;
    loop.upper = extended(loop.type, loop.upper + 1);
  }
}

LoopNest::LoopNest(const NestedLoop* loops, uint32_t count)
    : loops_(loops), count_(count), matters_(count), values_(count) {
  for (uint32_t level = 0; level < count; level++)
    if (depends(loops[level]))
      matters_[uint32_t(loops[level].outer)] = true;
}

uint64_t LoopNest::bound(uint32_t level, uint64_t constant, uint64_t factor) const {
  const NestedLoop& loop = loops_[level];
  const uint64_t variable = factor == 0 ? 0 : values_[uint32_t(loop.outer)];
  return extended(loop.type, constant + factor * variable);
}

uint64_t LoopNest::step(uint32_t level) const {
  return extended(signed_type(loops_[level].type), uint64_t(loops_[level].step));
}

uint64_t LoopNest::trips(uint32_t level) const {
  const NestedLoop& loop = loops_[level];
  const uint64_t lower = bound(level, loop.lower, extended(loop.type, loop.lower_factor));
  const uint64_t upper = bound(level, loop.upper, extended(loop.type, loop.upper_factor));
  if (loop.comparison == LoopComparison::LessOrEqual)
    return is_less(loop.type, upper, lower) ? 0 : (upper - lower) / step(level) + 1;
  return is_less(loop.type, lower, upper) ? 0 : (lower - upper) / (0 - step(level)) + 1;
}

void LoopNest::set_variable(uint32_t level, uint64_t trip) const {
  const NestedLoop& loop = loops_[level];
  const uint64_t lower = bound(level, loop.lower, extended(loop.type, loop.lower_factor));
  values_[level] = extended(loop.variable_type, lower + trip * step(level));
}

uint64_t LoopNest::iterations_from(uint32_t level) const {
  if (level == count_)
    return 1;
  const uint64_t here = trips(level);
  if (!matters_[level])
    return here == 0 ? 0 : here * iterations_from(level + 1);
  uint64_t sum = 0;
  for (uint64_t trip = 0; trip < here; trip++) {
    set_variable(level, trip);
    sum += iterations_from(level + 1);
  }
  return sum;
}

std::vector<uint64_t> LoopNest::point(uint64_t iteration) const {
  for (uint32_t level = 0; level < count_; level++) {
    uint64_t trip = 0;
    if (matters_[level]) {
      set_variable(level, 0);
      for (uint64_t inside; (inside = iterations_from(level + 1)) <= iteration; set_variable(level, ++trip))
        iteration -= inside;
    } else {
      const uint64_t inside = iterations_from(level + 1);
      trip = iteration / inside;
      iteration %= inside;
    }
    set_variable(level, trip);
  }
  return values_;
}

} // namespace hetmp::runtime
