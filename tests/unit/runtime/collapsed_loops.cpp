// Nests of loops that the runtime divides: against the same nests executed one iteration after the other.
#include "kmpc.hpp"

#include "runtime/loops/loop_nest.hpp"

#include <random>
#include <vector>

using hetmp::runtime::NestedLoop;

extern "C" {
uint64_t __kmpc_process_loop_nest_rectang(const SourceLocation*, int32_t gtid, NestedLoop* loops, int32_t count);
void __kmpc_calc_original_ivs_rectang(const SourceLocation*, uint64_t iteration, const NestedLoop* loops,
                                      uint64_t* variables, int32_t count);
int32_t __kmpc_for_collapsed_init(const SourceLocation*, int32_t gtid, NestedLoop* loops, NestedLoop* shares,
                                  int32_t count, int32_t* is_last);
}

namespace hetmp::test {
namespace {

using runtime::IntegerType;
using runtime::LoopComparison;
using Point = std::vector<int64_t>; ///< the value of each loop's variable
using Nest = std::vector<NestedLoop>;

/// With rubbish where a number of 32 bits leaves room.
uint64_t field(IntegerType type, int64_t value) {
  const bool small = type == IntegerType::I32 || type == IntegerType::U32;
  return small ? uint64_t(uint32_t(value)) | 0xdeadbeef00000000 : uint64_t(value);
}

struct Bounds {
  int64_t lower, lower_factor, upper, upper_factor;
};

NestedLoop loop(IntegerType type, LoopComparison comparison, int32_t outer, Bounds bounds, int64_t step) {
  NestedLoop made{type, type, comparison, outer, 0, 0, 0, 0, 0, 0};
  made.lower = field(type, bounds.lower);
  made.lower_factor = field(type, bounds.lower_factor);
  made.upper = field(type, bounds.upper);
  made.upper_factor = field(type, bounds.upper_factor);
  made.step = int64_t(field(type, step));
  return made;
}

bool holds(LoopComparison comparison, int64_t a, int64_t b) {
  switch (comparison) {
  case LoopComparison::LessOrEqual:
    return a <= b;
  case LoopComparison::GreaterOrEqual:
    return a >= b;
  case LoopComparison::NotEqual:
    return a != b;
  case LoopComparison::Less:
    return a < b;
  default:
    return a > b;
  }
}

/// Numbers as the program has them, and small enough for any type.
struct Plain {
  LoopComparison comparison;
  int32_t outer;
  Bounds bounds;
  int64_t step;
};

void execute(const std::vector<Plain>& nest, size_t level, Point& variables, std::vector<Point>& points) {
  if (level == nest.size()) {
    points.push_back(variables);
    return;
  }
  const Plain& loop = nest[level];
  const int64_t outside = variables[size_t(loop.outer)];
  const int64_t end = loop.bounds.upper + loop.bounds.upper_factor * outside;
  for (int64_t v = loop.bounds.lower + loop.bounds.lower_factor * outside; holds(loop.comparison, v, end);
       v += loop.step) {
    variables[level] = v;
    execute(nest, level + 1, variables, points);
  }
}

std::vector<Point> executed(const std::vector<Plain>& nest) {
  std::vector<Point> points;
  Point variables(nest.size());
  execute(nest, 0, variables, points);
  return points;
}

Nest of(const std::vector<Plain>& plain, IntegerType type) {
  Nest nest;
  for (const Plain& level : plain)
    nest.push_back(loop(type, level.comparison, level.outer, level.bounds, level.step));
  return nest;
}

/// What the team's threads are given, in the order of the threads.
void expect_divided(const std::vector<Plain>& plain, IntegerType type, int threads) {
  const std::vector<Point> points = executed(plain);
  struct Share {
    bool any = false, last = false;
    Point first, end;
  };
  std::vector<Share> shares{size_t(threads)};
  parallel(threads, [&](Member self) {
    Nest nest = of(plain, type), bounds = nest;
    Share& share = shares[size_t(self.number)];
    int32_t last = 7;
    share.any =
        __kmpc_for_collapsed_init(&somewhere, self.gtid, nest.data(), bounds.data(), int32_t(nest.size()), &last) != 0;
    share.last = last != 0;
    for (size_t level = 0; share.any && level < nest.size(); level++) {
      share.first.push_back(int64_t(bounds[level].lower));
      share.end.push_back(int64_t(bounds[level].upper));
      EXPECT_EQ(bounds[level].lower_factor | bounds[level].upper_factor, 0u);
    }
  });
  size_t next = 0;
  for (const Share& share : shares) {
    const size_t count =
        points.size() / size_t(threads) + (size_t(&share - shares.data()) < points.size() % size_t(threads));
    ASSERT_EQ(share.any, count != 0);
    if (count == 0)
      continue;
    ASSERT_EQ(share.first, points[next]);
    next += count;
    ASSERT_EQ(share.end, points[next - 1]);
    ASSERT_EQ(share.last, next == points.size());
  }
  ASSERT_EQ(next, points.size());
}

constexpr auto less = LoopComparison::Less, less_or_equal = LoopComparison::LessOrEqual,
               greater = LoopComparison::Greater, not_equal = LoopComparison::NotEqual;
constexpr IntegerType signed_types[] = {IntegerType::I32, IntegerType::I64};

TEST(CollapsedLoops, Triangles) {
  const std::vector<Plain> lower = {{less, 0, {0, 0, 20, 0}, 1}, {less_or_equal, 0, {0, 0, 0, 1}, 1}};
  const std::vector<Plain> upper = {
      {less, 0, {0, 0, 20, 0}, 1}, {less, 0, {0, 1, 20, 0}, 1}, {not_equal, 0, {0, 0, 3, 0}, 1}};
  for (IntegerType type : {IntegerType::I32, IntegerType::U32, IntegerType::I64, IntegerType::U64})
    for (int threads : {1, 2, 3, 7})
      for (const auto& nest : {lower, upper})
        expect_divided(nest, type, threads);
}

TEST(CollapsedLoops, LeadingNowhereAndBackwards) {
  const std::vector<Plain> none = {{less, 0, {5, 0, 5, 0}, 1}, {less, 0, {0, 0, 5, 0}, 1}};
  const std::vector<Plain> none_inside = {{less, 0, {0, 0, 5, 0}, 1}, {less, 0, {9, 0, 0, 1}, 1}};
  const std::vector<Plain> one = {
      {less, 0, {0, 0, 5, 0}, 1}, {less, 0, {4, 0, 0, 1}, 1}, {greater, 1, {-3, 1, -4, 1}, -1}};
  const std::vector<Plain> down = {{greater, 0, {9, 0, -3, 0}, -2}, {not_equal, 0, {1, 1, -7, 1}, -1}};
  for (IntegerType type : signed_types)
    for (const auto& nest : {none, none_inside, one, down})
      expect_divided(nest, type, 3);
}

TEST(CollapsedLoops, RandomNests) {
  std::mt19937 random(1);
  const auto number = [&](int least, int most) { return int64_t(random() % uint32_t(most - least + 1)) + least; };
  for (int round = 0; round < rounds(300); round++) {
    std::vector<Plain> nest;
    for (int32_t level = 0; level < 3; level++) {
      const bool depends = level > 0 && random() % 2 == 0;
      Plain made{LoopComparison(random() % 5), depends ? int32_t(random() % uint32_t(level)) : 0, {}, number(1, 4)};
      if (made.comparison == not_equal)
        made.step = 1; // it would miss its end
      // With != a loop has to come to its end exactly, so both bounds depend alike.
      const int64_t factor = depends ? number(-2, 2) : 0;
      made.bounds = {number(-9, 9), factor, 0, made.comparison == not_equal || !depends ? factor : number(-2, 2)};
      made.bounds.upper = made.comparison == not_equal ? made.bounds.lower + number(0, 6) : number(-9, 12);
      if (made.comparison == greater || made.comparison == LoopComparison::GreaterOrEqual)
        made.step = -made.step;
      nest.push_back(made);
    }
    ASSERT_NO_FATAL_FAILURE(expect_divided(nest, signed_types[round % 2], 1 + round % 5)) << round;
  }
}

/// The same entries a compiler uses for nests whose loops do not depend on each other.
TEST(CollapsedLoops, RectangularNests) {
  const std::vector<Plain> plain = {
      {less, 0, {-4, 0, 9, 0}, 3}, {greater, 0, {6, 0, 1, 0}, -2}, {not_equal, 0, {0, 0, 4, 0}, 1}};
  for (IntegerType type : signed_types) {
    Nest nest = of(plain, type);
    nest[0].variable_type = IntegerType::I8;
    const std::vector<Point> points = executed(plain);
    ASSERT_EQ(__kmpc_process_loop_nest_rectang(&somewhere, 0, nest.data(), 3), points.size());
    EXPECT_EQ(nest[0].trips, 5u);
    EXPECT_EQ(nest[1].trips, 3u);
    EXPECT_EQ(nest[2].trips, 4u);
    for (size_t i = 0; i < points.size(); i++) {
      uint64_t variables[3];
      __kmpc_calc_original_ivs_rectang(&somewhere, i, nest.data(), variables, 3);
      EXPECT_EQ((Point{int64_t(variables[0]), int64_t(variables[1]), int64_t(variables[2])}), points[i]);
    }
  }
}

TEST(CollapsedLoops, LargeNumbers) {
  constexpr uint64_t far = uint64_t(1) << 63;
  NestedLoop loops[2] = {loop(IntegerType::U64, less_or_equal, 0, {int64_t(far - 5), 0, int64_t(far + 5), 0}, 1),
                         loop(IntegerType::U32, less, 0, {int64_t(0xfffffff0), 0, int64_t(0xffffffff), 0}, 5)};
  ASSERT_EQ(__kmpc_process_loop_nest_rectang(&somewhere, 0, loops, 2), 11u * 3);
  uint64_t variables[2];
  __kmpc_calc_original_ivs_rectang(&somewhere, 32, loops, variables, 2);
  EXPECT_EQ(variables[0], far + 5);
  EXPECT_EQ(variables[1], 0xfffffffau);
  NestedLoop rows[2] = {loop(IntegerType::I64, less, 0, {0, 0, int64_t(1) << 40, 0}, 1),
                        loop(IntegerType::I64, less, 0, {0, 0, 1 << 20, 0}, 1)};
  NestedLoop bounds[2];
  int32_t last = 0;
  EXPECT_EQ(__kmpc_for_collapsed_init(&somewhere, __kmpc_global_thread_num(&somewhere), rows, bounds, 2, &last), 1);
  EXPECT_EQ(last, 1);                                  // a team of one
  EXPECT_EQ(bounds[0].upper, (uint64_t(1) << 40) - 1); // without a look at each row
  EXPECT_EQ(bounds[1].upper, (uint64_t(1) << 20) - 1);
}

} // namespace
} // namespace hetmp::test
