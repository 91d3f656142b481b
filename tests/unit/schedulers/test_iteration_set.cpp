#include "schedulers/arithmetic/iteration_set.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest = std::numeric_limits<uint64_t>::max();

IterationSet set_of(std::initializer_list<Range> ranges) {
  IterationSet set;
  for (const Range& range : ranges)
    set.put(range);
  return set;
}

TEST(IterationSet, IsEmptyWithoutIterations) {
  EXPECT_TRUE(IterationSet().empty());
  EXPECT_TRUE(IterationSet(Range{7, 7}).empty());
  EXPECT_TRUE(IterationSet(Range{8, 7}).empty());
  EXPECT_EQ(IterationSet(Range{7, 7}), IterationSet());
  EXPECT_TRUE(IterationSet().take_front(3).empty());
  EXPECT_TRUE(IterationSet().take_back(3).empty());
  EXPECT_TRUE(IterationSet().take({0, largest}).empty());
}

TEST(IterationSet, TakesAcrossHoles) {
  IterationSet set = set_of({{0, 10}, {20, 30}, {40, 50}});
  EXPECT_EQ(set.take_front(15), set_of({{0, 10}, {20, 25}}));
  EXPECT_EQ(set, set_of({{25, 30}, {40, 50}}));
  EXPECT_EQ(set.take_back(12), set_of({{28, 30}, {40, 50}}));
  EXPECT_EQ(set, set_of({{25, 28}}));
  EXPECT_EQ(set.take_back(0), IterationSet());
  EXPECT_EQ(set.take_front(0), IterationSet());
  EXPECT_EQ(set.take_front(99), set_of({{25, 28}}));
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 0u);
}

TEST(IterationSet, TakesWhatARangeCovers) {
  IterationSet set = set_of({{0, 10}, {20, 30}, {40, 50}});
  EXPECT_EQ(set.take({12, 18}), IterationSet());
  EXPECT_EQ(set.take({5, 22}), set_of({{5, 10}, {20, 22}}));
  EXPECT_EQ(set.take({24, 26}), set_of({{24, 26}}));
  EXPECT_EQ(set, set_of({{0, 5}, {22, 24}, {26, 30}, {40, 50}}));
}

TEST(IterationSet, JoinsAdjacentRanges) {
  IterationSet set = set_of({{20, 30}, {0, 10}});
  set.put(Range{10, 20});
  EXPECT_EQ(set.ranges(), (std::vector<Range>{{0, 30}}));
  set.put(Range{30, 31});
  set.put(Range{32, 33});
  set.put(Range{31, 32});
  EXPECT_EQ(set.ranges(), (std::vector<Range>{{0, 33}}));
  EXPECT_EQ(set.size(), 33u);
}

TEST(IterationSet, HoldsTheLongestLoop) {
  IterationSet set({0, largest});
  EXPECT_EQ(set.size(), largest);
  EXPECT_EQ(set.take_back(1), set_of({{largest - 1, largest}}));
  EXPECT_EQ(set.take_front(largest), set_of({{0, largest - 1}}));
  EXPECT_TRUE(set.empty());
}

/// Sets of iterations below 64, as bits.
uint64_t bits_of(const IterationSet& set) {
  uint64_t bits = 0;
  for (const Range& range : set.ranges())
    for (uint64_t i = range.begin; i < range.end; ++i)
      bits |= uint64_t(1) << i;
  return bits;
}

void expect_normal(const IterationSet& set) {
  uint64_t size = 0;
  for (size_t i = 0; i < set.ranges().size(); ++i) {
    ASSERT_FALSE(set.ranges()[i].empty());
    ASSERT_TRUE(i == 0 || set.ranges()[i - 1].end < set.ranges()[i].begin) << "not ascending, or not joined";
    size += set.ranges()[i].size();
  }
  ASSERT_EQ(set.size(), size);
}

uint64_t lowest(uint64_t bits, uint64_t count) {
  uint64_t result = 0;
  for (; count > 0 && bits != 0; --count) {
    result |= bits & (0 - bits);
    bits &= bits - 1;
  }
  return result;
}

TEST(IterationSet, DoesWhatSetsOfBitsDo) {
  std::mt19937_64 random(1);
  IterationSet set({0, 64});
  IterationSet out;
  uint64_t bits = largest;
  for (int step = 0; step < 50000; ++step) {
    const uint64_t count = random() % 20;
    const uint64_t begin = random() % 64;
    const Range range{begin, std::min<uint64_t>(64, begin + count)};
    uint64_t expected = 0;
    IterationSet taken;
    switch (random() % 4) {
    case 0:
      expected = lowest(bits, count);
      taken = set.take_front(count);
      break;
    case 1: {
      const auto have = static_cast<uint64_t>(__builtin_popcountll(bits));
      expected = bits & ~lowest(bits, have - std::min(count, have));
      taken = set.take_back(count);
      break;
    }
    case 2:
      expected = bits & bits_of(IterationSet(range));
      taken = set.take(range);
      break;
    default: // back in, those of a range of what is out
      expected = ~bits & bits_of(IterationSet(range));
      taken = out.take(range);
      ASSERT_EQ(bits_of(taken), expected);
      set.put(taken);
      bits |= expected;
      ASSERT_EQ(bits_of(set), bits);
      expect_normal(set);
      expect_normal(out);
      continue;
    }
    bits &= ~expected;
    ASSERT_EQ(bits_of(taken), expected);
    ASSERT_EQ(bits_of(set), bits);
    out.put(taken);
    ASSERT_EQ(bits_of(out), ~bits);
    expect_normal(set);
    expect_normal(taken);
    expect_normal(out);
  }
}

} // namespace
} // namespace hetmp::schedulers
