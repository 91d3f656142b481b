// schedule(simd:runtime): chunks in whole vectors, whatever OMP_SCHEDULE says.
#include "runtime/abi/kmpc/kmp_schedule.hpp"

#include <gtest/gtest.h>

using namespace hetmp::runtime;
using hetmp::schedulers::Schedule;
using hetmp::schedulers::ScheduleKind;

namespace {

constexpr int32_t runtime_simd = 47;
constexpr int32_t runtime_kind = 37;

Schedule in_fours(Schedule given, uint64_t trips = 27, uint32_t threads = 4) {
  return in_whole_vectors(given, 4, trips, threads);
}

TEST(ScheduleNumbers, SimdRuntimeTakesTheVectorFromTheChunk) {
  const Schedule given{.kind = ScheduleKind::Guided, .chunk = 3};
  const DecodedSchedule simd = decode_schedule(runtime_simd, 8, given);
  EXPECT_EQ(simd.schedule, given);
  EXPECT_EQ(simd.vector, 8u);
  EXPECT_EQ(decode_schedule(runtime_simd, 0, given).vector, 1u);
  EXPECT_EQ(decode_schedule(runtime_kind, 8, given).vector, 1u);
}

TEST(ScheduleNumbers, StaticSharesAreRoundedUpToVectors) {
  EXPECT_EQ(in_fours({}).chunk, 8u) << "27 iterations among 4 threads: 7 each";
  EXPECT_EQ(in_fours({}, 32).chunk, 8u);
  EXPECT_EQ(in_fours({}, 33).chunk, 12u);
  EXPECT_EQ(in_fours({.kind = ScheduleKind::Auto}), in_fours({}));
}

TEST(ScheduleNumbers, GivenChunksCountVectors) {
  EXPECT_EQ(in_fours({.chunk = 3}).chunk, 12u);
  EXPECT_EQ(in_fours({.kind = ScheduleKind::Dynamic}).chunk, 4u);
  EXPECT_EQ(in_fours({.kind = ScheduleKind::Guided, .chunk = 2}),
            (Schedule{.kind = ScheduleKind::Dynamic, .chunk = 8}));
  EXPECT_EQ(in_fours({.chunk = UINT64_MAX / 2}).chunk, UINT64_MAX) << "saturates";
}

TEST(ScheduleNumbers, HetProbeKeepsItsShares) {
  const Schedule probe{.kind = ScheduleKind::HetProbe};
  EXPECT_EQ(in_fours(probe), probe);
}

} // namespace
