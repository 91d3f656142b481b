// How many chunks are taken at a time.
#include "schedulers/arithmetic/chunk_batch.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

constexpr uint64_t plenty = uint64_t(1) << 60;

/// What a thread has after so many batches of chunks that take `chunk_us` each.
uint64_t after(int batches, double chunk_us, ChunkBatch& batch) {
  for (int i = 0; i < batches; i++) {
    const uint64_t chunks = batch.chunks(plenty, 1);
    batch.took(chunks, double(chunks) * chunk_us);
  }
  return batch.chunks(plenty, 1);
}

TEST(ChunkBatches, BeginWithOneAndGrowByDegrees) {
  ChunkBatch batch;
  EXPECT_EQ(batch.chunks(plenty, 1), 1u);
  EXPECT_EQ(after(1, 1, batch), ChunkBatch::growth);
  EXPECT_EQ(after(1, 1, batch), ChunkBatch::growth * ChunkBatch::growth);
}

TEST(ChunkBatches, TakeEverLongerWhereTheyTakeWhatWasExpected) {
  for (const double chunk_us : {1.0, 10.0, 250.0, 3000.0}) {
    ChunkBatch batch;
    double longest_us = 0;
    for (int i = 0; i < 20; i++) {
      const double before_us = double(batch.chunks(plenty, 1)) * chunk_us;
      const double next_us = double(after(1, chunk_us, batch)) * chunk_us;
      EXPECT_LE(next_us, std::max(2 * (before_us + chunk_us), std::min(before_us * ChunkBatch::growth, 16'000.0)));
      longest_us = std::max(longest_us, next_us);
    }
    EXPECT_NEAR(longest_us, ChunkBatch::long_us, chunk_us) << chunk_us;
  }
}

TEST(ChunkBatches, AreOneWhereChunksAreLong) {
  ChunkBatch batch;
  EXPECT_EQ(after(3, 50'000, batch), 1u);
}

TEST(ChunkBatches, AreShortAgainAfterASurprise) {
  ChunkBatch batch;
  after(30, 1, batch);
  EXPECT_EQ(after(1, 1000, batch), 8u);
}

TEST(ChunkBatches, OfNoTimeAtAllAreBounded) {
  ChunkBatch batch;
  EXPECT_LE(after(1000, 0, batch), 1u << 20);
}

/// Of what is left short ones may be half of the thread's share, long ones an eighth.
TEST(ChunkBatches, LeaveSomeForTheOthers) {
  ChunkBatch shorter;
  shorter.took(1, 1);
  for (int i = 0; i < 3; i++)
    shorter.took(1000, 0.3 * ChunkBatch::short_us);
  EXPECT_EQ(shorter.chunks(100, 2), 25u);
  EXPECT_EQ(shorter.chunks(3, 2), 1u);
  EXPECT_EQ(shorter.chunks(0, 0), 1u);
  ChunkBatch longer;
  after(30, 1000, longer);
  EXPECT_EQ(longer.chunks(plenty, 2), 512u);
  EXPECT_EQ(longer.chunks(1600, 2), 100u);
  EXPECT_EQ(longer.chunks(64, 2), 8u) << "as short ones";
  for (uint64_t left = 1; left < 2000; left++)
    EXPECT_LE(longer.chunks(left, 2), std::max<uint64_t>(left / 4, 1));
}

} // namespace
} // namespace hetmp::schedulers
