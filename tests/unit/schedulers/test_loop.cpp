#include "schedulers/arithmetic/loop.hpp"
#include "tiling.hpp"

namespace hetmp::schedulers {
namespace {

__extension__ using Wide = __int128; // every quotient and sum below is exact in it

constexpr uint64_t largest = std::numeric_limits<uint64_t>::max();

/// The definition: count the steps from lower that stay within the bound.
template <class T> Wide wide_trip_count(T lower, T upper, std::make_signed_t<T> stride) {
  const Wide distance = stride > 0 ? Wide(upper) - Wide(lower) : Wide(lower) - Wide(upper);
  const Wide step = stride > 0 ? Wide(stride) : -Wide(stride);
  return distance < 0 ? 0 : distance / step + 1;
}

template <class T> std::vector<std::make_signed_t<T>> strides() {
  using Signed = std::make_signed_t<T>;
  const Signed most = std::numeric_limits<Signed>::max();
  const Signed least = std::numeric_limits<Signed>::min();
  const Signed half = most / 2;
  return {1, -1, 2, -2, 7, -7, 1000003, -1000003, half, Signed(-half), most, Signed(-most), least};
}

template <class T> std::vector<T> interesting_values() {
  const T low = std::numeric_limits<T>::min();
  const T high = std::numeric_limits<T>::max();
  return {low, T(low + 1), T(low + 7), T(low / 2), T(0), T(1), T(41), T(high / 2), T(high - 7), T(high - 1), high};
}

template <class T> class LoopOf : public testing::Test {};
using LoopTypes = testing::Types<int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(LoopOf, LoopTypes);

TYPED_TEST(LoopOf, CountsTripsAtTheLimitsOfTheType) {
  using T = TypeParam;
  for (T lower : interesting_values<T>())
    for (T upper : interesting_values<T>())
      for (auto stride : strides<T>()) {
        const Wide expected = std::min<Wide>(wide_trip_count<T>(lower, upper, stride), largest);
        ASSERT_EQ(trip_count<T>(lower, upper, stride), static_cast<uint64_t>(expected))
            << lower << " to " << upper << " by " << stride;
      }
}

TYPED_TEST(LoopOf, FindsFirstAndLastValues) {
  using T = TypeParam;
  for (T lower : interesting_values<T>())
    for (T upper : interesting_values<T>())
      for (auto stride : strides<T>()) {
        const uint64_t trips = trip_count<T>(lower, upper, stride);
        if (trips == 0)
          continue;
        EXPECT_EQ(iteration_value<T>(lower, stride, 0), lower);
        const Wide last = Wide(lower) + Wide(trips - 1) * stride;
        ASSERT_EQ(Wide(iteration_value<T>(lower, stride, trips - 1)), last) << lower << " by " << stride;
      }
}

TYPED_TEST(LoopOf, RunsEachValueOnceInChunksOfSharesOfNodes) {
  using T = TypeParam;
  const T low = std::numeric_limits<T>::min();
  const T high = std::numeric_limits<T>::max();
  const struct {
    T lower, upper;
    int stride;
  } loops[] = {{0, 99, 1},
               {99, 0, -1},
               {3, 100, 7},
               {100, 3, -7},
               {low, T(low + 50), 2},
               {T(high - 50), high, 2},
               {high, T(high - 51), -2},
               {T(low + 51), low, -2},
               {5, 5, 7},
               {6, 5, 1}};
  for (const auto& loop : loops) {
    std::vector<T> expected;
    const auto within = [&](Wide i) { return loop.stride > 0 ? i <= Wide(loop.upper) : i >= Wide(loop.upper); };
    for (Wide i = loop.lower; within(i); i += loop.stride)
      expected.push_back(static_cast<T>(i));
    const uint64_t trips = trip_count<T>(loop.lower, loop.upper, loop.stride);
    for (uint32_t workers : {1u, 3u, 64u})
      for (uint64_t chunk : {uint64_t(1), uint64_t(5), uint64_t(1000)}) {
        std::vector<T> values(expected.size());
        std::vector<int> runs(expected.size(), 0);
        for (uint32_t worker = 0; worker < workers; ++worker)
          for (uint64_t round = 0;; ++round) {
            const Range range = static_chunk(trips, chunk, workers, worker, round);
            if (range.empty())
              break;
            for (uint64_t i = range.begin; i < range.end; ++i) {
              ASSERT_LT(i, expected.size());
              values[i] = iteration_value<T>(loop.lower, loop.stride, i);
              ++runs[i];
            }
          }
        EXPECT_EQ(values, expected);
        EXPECT_EQ(runs, std::vector<int>(expected.size(), 1));
      }
  }
}

TEST(TripCount, SaturatesOnlyForTheWholeRangeOf64Bits) {
  const int64_t low = std::numeric_limits<int64_t>::min();
  const int64_t high = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(trip_count<uint64_t>(0, largest, 1), largest); // 2^64 does not fit
  EXPECT_EQ(trip_count<int64_t>(high, low, -1), largest);
  EXPECT_EQ(trip_count<uint64_t>(1, largest, 1), largest); // exactly 2^64 - 1
  EXPECT_EQ(trip_count<int64_t>(low, high, 2), uint64_t(1) << 63);
  EXPECT_EQ(trip_count<int64_t>(high, low, low), 2u);
}

TEST(StaticShare, IsBalancedContiguousAndComplete) {
  for (uint64_t trips :
       {uint64_t(0), uint64_t(1), uint64_t(63), uint64_t(64), uint64_t(65), uint64_t(12345), largest - 1, largest})
    for (uint32_t workers : {1u, 2u, 3u, 7u, 16u, 63u, 64u, 4096u}) {
      std::vector<Range> shares;
      for (uint32_t worker = 0; worker < workers; ++worker) {
        shares.push_back(static_share(trips, workers, worker));
        EXPECT_EQ(shares.back().size(), trips / workers + (worker < trips % workers ? 1 : 0));
        if (worker > 0) {
          EXPECT_EQ(shares[worker].begin, shares[worker - 1].end);
        }
      }
      expect_tiles(shares, {0, trips});
    }
}

TEST(StaticShare, GivesNothingToWorkersThatDoNotExist) {
  EXPECT_TRUE(static_share(100, 4, 4).empty());
  EXPECT_TRUE(static_share(100, 0, 0).empty());
}

TEST(StaticChunk, DealsChunksRoundRobin) {
  EXPECT_EQ(static_chunk(100, 10, 3, 0, 0), (Range{0, 10}));
  EXPECT_EQ(static_chunk(100, 10, 3, 2, 0), (Range{20, 30}));
  EXPECT_EQ(static_chunk(100, 10, 3, 0, 1), (Range{30, 40}));
  EXPECT_EQ(static_chunk(95, 10, 3, 0, 3), (Range{90, 95}));
  EXPECT_TRUE(static_chunk(95, 10, 3, 1, 3).empty());
  EXPECT_EQ(static_chunk(3, 0, 1, 0, 2), (Range{2, 3}));
}

TEST(StaticChunk, TilesForAnyChunkAndNumberOfWorkers) {
  for (uint64_t trips : {uint64_t(0), uint64_t(1), uint64_t(100), uint64_t(5003)})
    for (uint32_t workers = 1; workers <= 65; workers += 4)
      for (uint64_t chunk : {uint64_t(1), uint64_t(2), uint64_t(17), uint64_t(5003), uint64_t(1) << 40, largest}) {
        std::vector<Range> chunks;
        for (uint32_t worker = 0; worker < workers; ++worker)
          for (uint64_t round = 0; chunks.empty() || round < trips; ++round) {
            chunks.push_back(static_chunk(trips, chunk, workers, worker, round));
            ASSERT_LE(chunks.back().size(), chunk);
            if (chunks.back().empty())
              break;
          }
        expect_tiles(chunks, {0, trips});
      }
}

TEST(StaticChunk, SurvivesRoundsAndChunksThatWouldOverflow) {
  EXPECT_EQ(static_chunk(largest, uint64_t(1) << 63, 2, 1, 0), (Range{uint64_t(1) << 63, largest}));
  EXPECT_TRUE(static_chunk(largest, uint64_t(1) << 63, 2, 0, 1).empty());
  EXPECT_TRUE(static_chunk(largest, 1, 4096, 0, largest).empty());
  EXPECT_TRUE(static_chunk(largest, largest, 4096, 4095, largest / 4096).empty());
}

TEST(GuidedChunk, ShrinksDownToTheChunk) {
  EXPECT_EQ(guided_chunk(1000, 1, 5), 100u);
  EXPECT_EQ(guided_chunk(1001, 1, 5), 101u); // rounded up
  EXPECT_EQ(guided_chunk(1000, 150, 5), 150u);
  EXPECT_EQ(guided_chunk(100, 150, 5), 100u);
  EXPECT_EQ(guided_chunk(1, 0, 5), 1u);
  EXPECT_EQ(guided_chunk(0, 7, 5), 0u);
  EXPECT_EQ(guided_chunk(largest, 1, 1), uint64_t(1) << 63);
}

TEST(GuidedChunk, OfABatchIsNeverSmallerThanTheChunk) {
  for (uint32_t workers : {1u, 2u, 3u, 8u})
    for (uint64_t chunk : {0, 1, 2, 7, 50})
      for (uint64_t batch = 1; batch < 400; ++batch)
        for (uint64_t left = batch, size = 0, before = batch; left > 0; left -= size, before = size) {
          size = guided_chunk_of_batch(left, chunk, workers);
          ASSERT_GE(size, std::min(batch, std::max<uint64_t>(chunk, 1))) << left << " left of " << batch;
          ASSERT_LE(size, std::min(left, before)) << left << " left of " << batch;
          ASSERT_LE(size, std::max(guided_chunk(left, chunk, workers), 2 * chunk));
        }
  EXPECT_EQ(guided_chunk_of_batch(largest, 1, 1), uint64_t(1) << 63);
  EXPECT_EQ(guided_chunk_of_batch(0, 7, 3), 0u);
}

TEST(GuidedChunk, AlwaysMakesProgressAndEndsSoon) {
  for (uint64_t trips : {uint64_t(1), uint64_t(1000), largest})
    for (uint32_t workers : {0u, 1u, 64u, 4096u}) {
      uint64_t remaining = trips;
      uint64_t before = largest;
      for (uint64_t steps = 0; remaining > 0; ++steps) {
        const uint64_t chunk = guided_chunk(remaining, 1, workers);
        ASSERT_GE(chunk, 1u);
        ASSERT_LE(chunk, std::min(remaining, before)) << "chunks must not grow";
        ASSERT_LT(steps, 2000000u);
        before = chunk;
        remaining -= chunk;
      }
    }
}

} // namespace
} // namespace hetmp::schedulers
