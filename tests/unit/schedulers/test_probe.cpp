#include "schedulers/arithmetic/split.hpp"
#include "schedulers/learning/probe.hpp"
#include "tiling.hpp"

#include <cmath>
#include <limits>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest = std::numeric_limits<uint64_t>::max();

TEST(Probe, GivesEachThreadItsShareOfThePercentage) {
  // The paper's figure 6: 20,000 iterations, 10 %, 20 cores: 100 each, 18,000 left.
  EXPECT_EQ(probe_share(20000, 20, 10, 0), (Range{0, 100}));
  EXPECT_EQ(probe_share(20000, 20, 10, 19), (Range{1900, 2000}));
  EXPECT_EQ(after_probe(20000, 20, 10), (Range{2000, 20000}));
  EXPECT_EQ(probe_share(20000, 20, 0.5, 1), (Range{5, 10}));
}

TEST(Probe, GivesAtLeastOneIterationIfThereAreEnough) {
  EXPECT_EQ(probe_share(64, 64, 0.001, 63), (Range{63, 64}));
  EXPECT_TRUE(after_probe(64, 64, 0.001).empty());
  EXPECT_TRUE(probe_share(63, 64, 10, 0).empty());
  EXPECT_EQ(after_probe(63, 64, 10), (Range{0, 63}));
}

TEST(Probe, BoundsPercentagesThatMakeNoSense) {
  EXPECT_EQ(probe_share(1000, 10, 250, 1), probe_share(1000, 10, 100, 1));
  EXPECT_EQ(probe_share(1000, 10, 0, 1), (Range{1, 2}));
  EXPECT_EQ(probe_share(1000, 10, -3, 1), (Range{1, 2}));
  EXPECT_EQ(probe_share(1000, 10, std::nan(""), 1), (Range{1, 2}));
}

TEST(Probe, HasNothingForThreadsThatDoNotExist) {
  EXPECT_TRUE(probe_share(1000, 10, 10, 10).empty());
  EXPECT_TRUE(probe_share(1000, 0, 10, 0).empty());
  EXPECT_EQ(after_probe(1000, 0, 10), (Range{0, 1000}));
}

TEST(Probe, IsWorthwhileFromTwoIterationsAThread) {
  EXPECT_FALSE(worth_probing(0, 4, 10));
  EXPECT_FALSE(worth_probing(7, 4, 10));
  EXPECT_TRUE(worth_probing(8, 4, 10));
  EXPECT_FALSE(worth_probing(8, 4, 0));
  EXPECT_FALSE(worth_probing(8, 4, std::nan("")));
  EXPECT_FALSE(worth_probing(8, 0, 10));
}

TEST(Probe, SharesAndTheSplitRestTileTheLoop) {
  const double speed[] = {2.99, 1.0, 0.0};
  const uint32_t node_threads[] = {3, 5, 1};
  for (uint64_t trips : {uint64_t(0), uint64_t(1), uint64_t(31), uint64_t(4096), uint64_t(99999), largest})
    for (uint32_t threads : {1u, 2u, 7u, 64u, 4096u})
      for (double percent : {0.0001, 1.0, 9.9, 33.3, 100.0}) {
        std::vector<Range> ranges;
        for (uint32_t thread = 0; thread < threads; ++thread) {
          ranges.push_back(probe_share(trips, threads, percent, thread));
          ASSERT_EQ(ranges.back().size(), ranges.front().size()) << "shares must be equal";
          ASSERT_EQ(ranges.back().begin, thread * ranges.front().size());
        }
        if (trips >= threads) {
          EXPECT_GE(ranges[0].size(), 1u);
        }
        for (Range range : split_by_speed(after_probe(trips, threads, percent), speed, node_threads, 3))
          ranges.push_back(range);
        expect_tiles(ranges, {0, trips});
      }
}

} // namespace
} // namespace hetmp::schedulers
