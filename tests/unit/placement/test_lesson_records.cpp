// Lessons become records of a file, and lessons again.
#include "runtime/nodes/lesson_records.hpp"

#include <gtest/gtest.h>

namespace hetmp::runtime {
namespace {

using schedulers::PlacementLesson;

CodeId name(uint64_t microtask) { return {7, uint32_t(microtask - 0x1000)}; }
const void* find(CodeId id) { return id.object == 7 ? reinterpret_cast<const void*>(id.offset + 0x1000) : nullptr; }
std::string words(uint64_t microtask) { return "region " + std::to_string(microtask); }

Lessons some() {
  Lessons lessons;
  lessons.placement.regions[0x1001] = {
      PlacementLesson::Verdict::Gains, 1, 2, 3, 4, 0, 6, 7, false, {{.trips = 8, .home_us = 9, .spread_us = 10}}};
  lessons.placement.regions[0x1002] = {
      .verdict = PlacementLesson::Verdict::Lost, .longest_home_us = 5, .lost_until_us = 3, .kinds = {}};
  lessons.placement.regions[0x1004] = {
      .verdict = PlacementLesson::Verdict::Lent, .home_us = 4, .spread_us = 2, .compared = true, .kinds = {}};
  lessons.placement.between_us[{0x1001, 0x1002}] = 11;
  lessons.journeys[0x1002] = {.paid = false, .gain_us = -12, .rest_us = 13, .age = 1};
  lessons.journeys[0x1003] = {.paid = true, .gain_us = 14};
  return lessons;
}

TEST(LessonRecords, SurviveTheFile) {
  const Lessons lessons = some();
  const perf::KnownLayout records = records_of(lessons, name, words);
  ASSERT_EQ(records.regions.size(), 4u);
  EXPECT_EQ(records.regions[0].name, "region 4098") << "the longest first";
  const Lessons again = lessons_of(records, find);
  EXPECT_EQ(again.placement.regions.at(0x1001), lessons.placement.regions.at(0x1001));
  EXPECT_EQ(again.placement.regions.at(0x1002), lessons.placement.regions.at(0x1002));
  EXPECT_EQ(again.placement.regions.at(0x1004), lessons.placement.regions.at(0x1004));
  EXPECT_EQ(again.placement.between_us, lessons.placement.between_us);
  EXPECT_EQ(again.journeys, lessons.journeys);
}

TEST(LessonRecords, OfCodeThatMeansNothingElsewhereAreLeftOut) {
  const perf::KnownLayout records = records_of(
      some(), [](uint64_t microtask) { return microtask == 0x1001 ? CodeId::in_shared_memory(microtask) : CodeId{}; },
      words);
  EXPECT_TRUE(records.regions.empty());
  EXPECT_TRUE(records.between.empty());
}

TEST(LessonRecords, OfCodeThatIsNotThereAreLeftOut) {
  perf::KnownLayout records = records_of(some(), name, words);
  for (perf::KnownRegion& region : records.regions)
    region.object = region.offset == 1 ? 8 : CodeId::shared_memory | 7;
  const Lessons lessons = lessons_of(records, find);
  EXPECT_TRUE(lessons.empty());
}

} // namespace
} // namespace hetmp::runtime
