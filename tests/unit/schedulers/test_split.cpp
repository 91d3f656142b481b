#include "schedulers/arithmetic/split.hpp"
#include "tiling.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest = std::numeric_limits<uint64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

std::vector<Range> split(Range all, const std::vector<double>& speed, const std::vector<uint32_t>& threads) {
  return split_by_speed(all, speed.data(), threads.data(), static_cast<uint32_t>(speed.size()));
}

TEST(Split, FollowsSpeedTimesThreads) {
  EXPECT_EQ(split({0, 18000}, {3, 1}, {16, 96}), (std::vector<Range>{{0, 6000}, {6000, 18000}}));
  EXPECT_EQ(split({2000, 20000}, {2.5, 1}, {4, 2}), (std::vector<Range>{{2000, 17000}, {17000, 20000}}));
  EXPECT_EQ(split({10, 20}, {1, 1, 1}, {1, 1, 1}), (std::vector<Range>{{10, 13}, {13, 17}, {17, 20}}));
}

TEST(Split, GivesNodesWithoutSpeedOrThreadsNothing) {
  EXPECT_EQ(split({0, 100}, {0, 1, 1}, {4, 4, 0}), (std::vector<Range>{{0, 0}, {0, 100}, {100, 100}}));
  EXPECT_EQ(split({0, 100}, {1, -2, not_a_number, infinity}, {4, 4, 4, 4})[0], (Range{0, 100}));
}

TEST(Split, FallsBackOnThreadsThenOnTheFirstNode) {
  EXPECT_EQ(split({0, 100}, {0, 0}, {1, 3}), (std::vector<Range>{{0, 25}, {25, 100}}));
  EXPECT_EQ(split({0, 100}, {1, 1}, {0, 0}), (std::vector<Range>{{0, 100}, {100, 100}}));
  EXPECT_TRUE(split({0, 100}, {}, {}).empty());
}

TEST(Split, HandlesEmptyRanges) { EXPECT_EQ(split({7, 7}, {1, 1}, {1, 1}), (std::vector<Range>{{7, 7}, {7, 7}})); }

TEST(Split, KeepsATinyWeightAlive) {
  const std::vector<Range> shares = split({0, largest}, {1e-30, 1e30}, {1, 1});
  EXPECT_FALSE(shares[0].empty());
  expect_tiles(shares, {0, largest});
}

TEST(Split, TilesAnyRangeInProportion) {
  std::mt19937_64 random(20240901);
  const uint64_t sizes[] = {0, 1, 2, 17, 1000, 123457, uint64_t(1) << 33, largest - 5, largest};
  for (int repetition = 0; repetition < 300; ++repetition)
    for (uint64_t size : sizes) {
      const uint32_t nodes = 1 + random() % 64;
      const uint64_t begin = size == largest ? 0 : random() % std::min<uint64_t>(largest - size, 1000000);
      std::vector<double> speed;
      std::vector<uint32_t> threads;
      long double total = 0;
      for (uint32_t node = 0; node < nodes; ++node) {
        speed.push_back(random() % 5 == 0 ? 0.0 : 1.0 + static_cast<double>(random() % 4000) / 1000);
        threads.push_back(random() % 7 == 0 ? 0 : 1 + random() % 128);
        total += static_cast<long double>(speed[node]) * threads[node];
      }
      const std::vector<Range> shares = split({begin, begin + size}, speed, threads);
      ASSERT_EQ(shares.size(), nodes);
      expect_tiles(shares, {begin, begin + size});
      EXPECT_EQ(shares, split({begin, begin + size}, speed, threads));
      if (total == 0)
        continue;
      for (uint32_t node = 0; node < nodes; ++node) {
        const long double quota = size * (speed[node] * threads[node] / total);
        ASSERT_LE(shares[node].begin, shares[node].end);
        ASSERT_NEAR(static_cast<long double>(shares[node].size()), quota, 1 + size * 0x1p-24L);
        if (speed[node] * threads[node] == 0) {
          ASSERT_TRUE(shares[node].empty());
        }
      }
    }
}

} // namespace
} // namespace hetmp::schedulers
