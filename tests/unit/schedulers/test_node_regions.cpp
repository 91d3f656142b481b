#include "schedulers/learning/node_pace.hpp"
#include "schedulers/policies/node_regions.hpp"

#include <gtest/gtest.h>
#include <random>

namespace hetmp::schedulers {
namespace {

TEST(NodeRegions, DividesByWeightInNodeOrder) {
  NodeRegions regions(3, 100);
  regions.divide({1, 0, 3}, 0, {0, 100});
  EXPECT_EQ(regions.region(0), IterationSet({0, 25}));
  EXPECT_TRUE(regions.region(1).empty());
  EXPECT_EQ(regions.region(2), IterationSet({25, 100}));
}

TEST(NodeRegions, WithoutWeightsOneNodeGetsEverything) {
  NodeRegions regions(3, 100);
  regions.divide({0, 0, 0}, 2, {0, 100});
  EXPECT_EQ(regions.left(2), 100u);
}

/// So that a neighbour that takes over the rest of a region goes on at the border between both.
TEST(NodeRegions, NodesWithOddNumbersWorkFromTheEnd) {
  NodeRegions regions(2, 100);
  regions.divide({1, 1}, 0, {0, 100});
  Assignment first;
  EXPECT_EQ(regions.take(1, 10, first), 10u);
  EXPECT_EQ(first.pieces[0], (Range{90, 100}));
  regions.move_back(1, 0, 5);
  EXPECT_EQ(regions.region(0), IterationSet({0, 55}));
  EXPECT_EQ(regions.region(1), IterationSet({55, 90}));
  regions.move_back(0, 1, 10);
  EXPECT_EQ(regions.region(1), IterationSet({45, 90}));
}

TEST(NodeRegions, HolesStayWhenWhatIsLeftIsDividedAnew) {
  NodeRegions regions(3, 100);
  regions.divide({1, 0, 1}, 0, {0, 100});
  Assignment first;
  Assignment second;
  EXPECT_EQ(regions.take(0, 10, first), 10u);
  EXPECT_EQ(regions.take(2, 10, second), 10u);
  EXPECT_EQ(second.pieces[0], (Range{50, 60}));
  regions.divide({3, 0, 1}, 0, {0, 100});
  IterationSet expected({10, 50}); // 60 of the 80 that are left, with the hole where node 2 was
  expected.put(Range{60, 80});
  EXPECT_EQ(regions.region(0), expected);
  EXPECT_EQ(regions.region(2), IterationSet({80, 100}));
  EXPECT_EQ(regions.left(), 80u);
}

TEST(NodeRegions, AnAssignmentTakesAsManyPiecesAsItHolds) {
  NodeRegions regions(2, 100);
  regions.divide({0, 1}, 0, {0, 100});
  for (uint64_t i = 0; i < 20; ++i)
    regions.give(0, {i * 4, i * 4 + 1}); // 20 ranges of one iteration
  Assignment part;
  EXPECT_EQ(regions.take(0, 20, part), uint64_t(Assignment::most_pieces));
  EXPECT_EQ(regions.left(0), 20u - Assignment::most_pieces);
}

TEST(NodeRegions, EveryIterationIsHandedOutOnceWhateverHappens) {
  std::mt19937_64 random(5);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto nodes = static_cast<uint32_t>(1 + random() % 6);
    const uint64_t trips = random() % 300;
    NodeRegions regions(nodes, trips);
    std::vector<int> handed(trips, 0);
    while (regions.left() > 0) {
      const auto node = static_cast<uint32_t>(random() % nodes);
      const auto other = static_cast<uint32_t>(random() % nodes);
      const uint64_t begin = random() % trips;
      std::vector<double> weights(nodes);
      for (double& weight : weights)
        weight = static_cast<double>(random() % 3);
      switch (random() % 4) {
      case 0:
        regions.divide(weights, node, {begin, trips});
        break;
      case 1:
        regions.give(node, {begin, begin + random() % 20});
        break;
      case 2:
        regions.move_back(node, other, random() % 20);
        break;
      default:
        Assignment part;
        const uint64_t before = regions.left();
        const uint64_t taken = regions.take(node, 1 + random() % 20, part);
        ASSERT_EQ(taken, part.size());
        ASSERT_EQ(regions.left(), before - taken);
        for (uint32_t i = 0; i < part.piece_count; ++i)
          for (uint64_t x = part.pieces[i].begin; x < part.pieces[i].end; ++x)
            ++handed[x];
      }
      uint64_t sum = 0;
      for (uint32_t i = 0; i < nodes; ++i)
        sum += regions.left(i);
      ASSERT_EQ(sum, regions.left());
    }
    EXPECT_TRUE(std::all_of(handed.begin(), handed.end(), [](int times) { return times == 1; }));
  }
}

NodeMeasurement measured(uint64_t iterations, double thread_us) {
  NodeMeasurement result;
  result.iterations = iterations;
  result.thread_us = thread_us;
  return result;
}

TEST(NodePace, LaterMeasurementsWeighMore) {
  NodePace pace(4);
  EXPECT_FALSE(pace.known());
  pace.assume(8);
  EXPECT_DOUBLE_EQ(pace.rate(), 0.5);
  pace.learn(measured(100, 1000));
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 10);
  pace.learn(measured(100, 4000));
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 4500.0 / 150);
}

TEST(NodePace, MeasurementsThatCannotBeTrueAreIgnored) {
  NodePace pace(1);
  pace.learn(measured(10, 100));
  pace.learn(measured(10, -5));
  pace.learn(measured(10, std::numeric_limits<double>::quiet_NaN()));
  pace.learn(measured(0, 100));
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 10);
}

TEST(PartSize, IsTheFractionWhileMuchIsLeft) {
  const PartQuestion much{.left = 1000000, .share = 0.5, .rate = 1, .threads = 4, .fraction = 0.05, .exchange_us = 1};
  EXPECT_EQ(part_size(much), 25000u);
}

TEST(PartSize, DoesNotDivideWhatIsDoneInAFewExchanges) {
  const PartQuestion little{.left = 38, .share = 0.5, .rate = 1, .threads = 4, .fraction = 0.05, .exchange_us = 1};
  EXPECT_EQ(part_size(little), 19u);
}

TEST(PartSize, IsAtLeastOneAndNotMoreThanTheNodesShare) {
  for (uint64_t left : {uint64_t(1), uint64_t(7), uint64_t(1000), std::numeric_limits<uint64_t>::max()})
    for (double share : {1e-9, 0.3, 1.0})
      for (double rate : {0.0, 1e-6, 1.0, 1e6})
        for (double exchange_us : {0.0, 50.0}) {
          const PartQuestion question{left, share, rate, 8, 0.1, exchange_us};
          const uint64_t size = part_size(question);
          ASSERT_GE(size, 1u);
          ASSERT_LE(static_cast<double>(size), std::max(1.0, static_cast<double>(left) * share + 1));
        }
}

TEST(ChunkSize, LeavesSomeForEveryThreadAndIsNotShorterThanPays) {
  NodePace pace(4);
  EXPECT_EQ(chunk_size(12800, pace, 4, 50), 100u);
  pace.assume(0.1); // half an exchange is 250 iterations
  EXPECT_EQ(chunk_size(12800, pace, 4, 50), 250u);
  EXPECT_EQ(chunk_size(1600, pace, 4, 50), 100u);
  EXPECT_EQ(chunk_size(3, pace, 4, 50), 1u);
}

} // namespace
} // namespace hetmp::schedulers
