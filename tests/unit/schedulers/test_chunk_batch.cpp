// How many chunks are taken at a time.
#include "schedulers/arithmetic/chunk_batch.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

/// What a thread has after so many batches of chunks that take `chunk_us` each.
uint32_t after(int batches, double chunk_us, ChunkBatch& batch) {
  for (int i = 0; i < batches; i++)
    batch.took(batch.chunks(), batch.chunks() * chunk_us);
  return batch.chunks();
}

TEST(ChunkBatches, BeginWithOneAndGrowByDegrees) {
  ChunkBatch batch;
  EXPECT_EQ(batch.chunks(), 1u);
  EXPECT_EQ(after(1, 1, batch), ChunkBatch::growth);
  EXPECT_EQ(after(1, 1, batch), ChunkBatch::growth * ChunkBatch::growth);
}

TEST(ChunkBatches, TakeTheTimeThatIsWanted) {
  for (const double chunk_us : {1.0, 10.0, 260.0, 3000.0}) {
    ChunkBatch batch;
    EXPECT_EQ(after(10, chunk_us, batch), uint32_t(ChunkBatch::wanted_us / chunk_us)) << chunk_us;
  }
}

TEST(ChunkBatches, AreOneWhereChunksAreLong) {
  ChunkBatch batch;
  EXPECT_EQ(after(3, 50'000, batch), 1u);
}

TEST(ChunkBatches, ShrinkAtOnce) {
  ChunkBatch batch;
  after(10, 1, batch);
  EXPECT_EQ(after(1, 1000, batch), 8u);
}

TEST(ChunkBatches, OfNoTimeAtAllAreBounded) {
  ChunkBatch batch;
  EXPECT_LE(after(1000, 0, batch), 1u << 20);
}

TEST(ChunkBatches, LeaveSomeForTheOthers) {
  EXPECT_EQ(ChunkBatch::most_of(100, 2), 25u);
  EXPECT_EQ(ChunkBatch::most_of(3, 2), 1u);
  EXPECT_EQ(ChunkBatch::most_of(0, 0), 1u);
}

} // namespace
} // namespace hetmp::schedulers
