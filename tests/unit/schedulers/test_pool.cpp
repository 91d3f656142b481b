#include "schedulers/pool.hpp"
#include "tiling.hpp"

#include <limits>
#include <random>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t largest = std::numeric_limits<uint64_t>::max();

TEST(IterationPool, HandsOutAChunkForEachThreadOfTheNode) {
  IterationPool pool(100, ScheduleKind::Dynamic, 5, 12);
  EXPECT_EQ(pool.take(8), (Range{0, 40}));
  EXPECT_EQ(pool.take(4), (Range{40, 60}));
  EXPECT_EQ(pool.take(8), (Range{60, 100}));
  EXPECT_TRUE(pool.take(8).empty());
  EXPECT_EQ(pool.remaining(), 0u);
}

TEST(IterationPool, ShrinksGuidedBatchesButNotBelowTheChunk) {
  IterationPool pool(1000, ScheduleKind::Guided, 10, 5);
  EXPECT_EQ(pool.take(2), (Range{0, 200}));   // 1000 / 10 for each of two threads
  EXPECT_EQ(pool.take(3), (Range{200, 440})); // 800 / 10 for each of three
  uint64_t before = 240;
  while (pool.remaining() > 0) {
    const uint64_t left = pool.remaining();
    const uint64_t size = pool.take(3).size();
    EXPECT_LE(size, before);
    EXPECT_GE(size, std::min<uint64_t>(left, 30));
    before = size;
  }
}

TEST(IterationPool, IsEmptyFromTheStart) {
  EXPECT_TRUE(IterationPool().take(4).empty());
  EXPECT_TRUE(IterationPool(0, ScheduleKind::Guided, 1, 4).take(4).empty());
}

TEST(IterationPool, TakesZeroAsOne) {
  IterationPool pool(3, ScheduleKind::Dynamic, 0, 0);
  EXPECT_EQ(pool.take(0), (Range{0, 1}));
  EXPECT_EQ(pool.take(1), (Range{1, 2}));
}

TEST(IterationPool, SurvivesProductsThatOverflow) {
  for (ScheduleKind kind : {ScheduleKind::Dynamic, ScheduleKind::Guided}) {
    IterationPool pool(largest, kind, largest - 1, 64);
    EXPECT_EQ(pool.take(64), (Range{0, largest}));
    EXPECT_TRUE(pool.take(64).empty());
  }
}

TEST(IterationPool, GivesEachIterationOnceInAnyInterleaving) {
  std::mt19937_64 random(42);
  for (int repetition = 0; repetition < 200; ++repetition)
    for (ScheduleKind kind : {ScheduleKind::Dynamic, ScheduleKind::Guided}) {
      std::vector<uint32_t> node_threads(1 + random() % 64);
      uint32_t threads = 0;
      for (uint32_t& count : node_threads)
        threads += count = 1 + random() % 16;
      const uint64_t trips = random() % 20000;
      const uint64_t chunk = 1 + random() % 50;
      IterationPool pool(trips, kind, chunk, threads);
      std::vector<Range> batches;
      for (;;) {
        const uint32_t asker = node_threads[random() % node_threads.size()];
        const uint64_t before = pool.remaining();
        batches.push_back(pool.take(asker));
        if (batches.back().empty())
          break;
        ASSERT_GE(batches.back().size(), std::min(before, chunk * asker));
        ASSERT_EQ(pool.remaining(), before - batches.back().size());
      }
      expect_tiles(batches, {0, trips});
    }
}

} // namespace
} // namespace hetmp::schedulers
