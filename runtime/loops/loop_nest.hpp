// Nests of loops that a compiler leaves to the runtime as they are, the bounds of one depending on the variable of
// another around it: how many iterations there are, and which values the variables have in a given one. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace hetmp::runtime {

// Numbers of libomp's interface.
enum class IntegerType : int32_t { U8, I8, U16, I16, U32, I32, U64, I64 };
enum class LoopComparison : int32_t { LessOrEqual, GreaterOrEqual, NotEqual, Less, Greater };

/// One loop of a nest, as libomp's bounds_info_t. With v, the value of the variable of loop `outer` of the nest, it
/// goes from lower + lower_factor * v to upper + upper_factor * v. Numbers of a small type are in the first bytes of
/// their fields.
struct NestedLoop {
  IntegerType type; ///< of bounds and step
  IntegerType variable_type;
  LoopComparison comparison;
  int32_t outer; ///< any, if both factors are 0
  uint64_t lower;
  uint64_t lower_factor;
  uint64_t upper;
  uint64_t upper_factor;
  int64_t step;
  uint64_t trips; ///< set where it is the same in all iterations of the loops around it
};

/// Makes the comparison one that includes the bound.
void canonicalise(NestedLoop& loop);

/// A number of this type as one of 64 bits.
uint64_t extended(IntegerType type, uint64_t bits);

class LoopNest {
 public:
  /// Of `count` canonical loops, the outermost one first.
  LoopNest(const NestedLoop* loops, uint32_t count);

  /// Costs a step for each value of a variable that a loop inside depends on, but for the innermost of these; so do
  /// points.
  uint64_t iterations() const { return iterations_from(0); }

  /// The variables' values, extended, in an iteration that there is; counted from 0 in sequential order.
  std::vector<uint64_t> point(uint64_t iteration) const;

  /// Of a loop whose bounds depend on nothing, or with the variables of the last point.
  uint64_t trips(uint32_t level) const;

 private:
  uint64_t iterations_from(uint32_t level) const;
  uint64_t bound(uint32_t level, uint64_t constant, uint64_t factor) const;
  uint64_t step(uint32_t level) const;
  void set_variable(uint32_t level, uint64_t trip) const;

  const NestedLoop* loops_;
  uint32_t count_;
  std::vector<bool> matters_;            ///< the bounds of a loop inside depend on its variable
  mutable std::vector<uint64_t> values_; ///< of the variables, for the bounds of loops inside
};

} // namespace hetmp::runtime
