#include "schedulers/parse.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

TEST(ParseSchedule, AcceptsWhatTheSpecificationAndHetProbeAllow) {
  const struct {
    const char* text;
    Schedule expected;
  } table[] = {
      {"static", {ScheduleKind::Static}},
      {"dynamic", {ScheduleKind::Dynamic}},
      {"guided", {ScheduleKind::Guided}},
      {"auto", {ScheduleKind::Auto}},
      {"hetprobe", {ScheduleKind::HetProbe}},
      {"STATIC,16", {ScheduleKind::Static, 16}},
      {"Dynamic , 4", {ScheduleKind::Dynamic, 4}},
      {" \tguided,7\n", {ScheduleKind::Guided, 7}},
      {"auto,3", {ScheduleKind::Auto}},
      {"static,2147483647", {ScheduleKind::Static, 2147483647}},
      {"monotonic:dynamic,2", {ScheduleKind::Dynamic, 2, 10.0, true}},
      {" MonoTonic : static", {ScheduleKind::Static, 0, 10.0, true}},
      {"nonmonotonic:guided", {ScheduleKind::Guided}},
      {"hetprobe,10", {ScheduleKind::HetProbe}},
      {"HetProbe, 2.5", {ScheduleKind::HetProbe, 0, 2.5}},
      {"hetprobe,1e-3", {ScheduleKind::HetProbe, 0, 0.001}},
      {"hetprobe,100", {ScheduleKind::HetProbe, 0, 100}},
  };
  for (const auto& row : table) {
    const ParsedSchedule parsed = parse_schedule(row.text);
    ASSERT_TRUE(parsed.schedule) << row.text << ": " << parsed.error;
    EXPECT_EQ(*parsed.schedule, row.expected) << row.text;
    EXPECT_EQ(parsed.error, "") << row.text;
  }
}

TEST(ParseSchedule, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* part_of_error;
  } table[] = {
      {"", "no schedule kind"},
      {",4", "no schedule kind"},
      {"monotonic:", "no schedule kind"},
      {"statics", "unknown schedule kind \"statics\""},
      {"static 4", "unknown schedule kind"},
      {"runtime", "unknown schedule kind"},
      {"simd:static", "unknown modifier \"simd\""},
      {":static", "unknown modifier"},
      {"monotonic:nonmonotonic:static", "unknown schedule kind"},
      {"static,", "whole number"},
      {"static,0", "whole number"},
      {"dynamic,-1", "whole number"},
      {"dynamic,+1", "whole number"},
      {"dynamic,2147483648", "whole number"},
      {"dynamic,99999999999999999999999", "whole number"},
      {"dynamic,1.5", "whole number"},
      {"guided,4x", "whole number"},
      {"guided,4,5", "whole number"},
      {"auto,x", "whole number"},
      {"hetprobe,", "percentage"},
      {"hetprobe,0", "percentage"},
      {"hetprobe,-5", "percentage"},
      {"hetprobe,100.01", "percentage"},
      {"hetprobe,nan", "percentage"},
      {"hetprobe,inf", "percentage"},
      {"hetprobe,10%", "percentage"},
  };
  for (const auto& row : table) {
    const ParsedSchedule parsed = parse_schedule(row.text);
    EXPECT_FALSE(parsed.schedule) << row.text;
    EXPECT_NE(parsed.error.find(row.part_of_error), std::string::npos) << row.text << ": " << parsed.error;
    EXPECT_EQ(parsed.error.find('\n'), std::string::npos) << row.text;
  }
}

TEST(FormatSchedule, WritesTheCanonicalText) {
  EXPECT_EQ(format_schedule({}), "static");
  EXPECT_EQ(format_schedule({ScheduleKind::Dynamic, 4}), "dynamic,4");
  EXPECT_EQ(format_schedule({ScheduleKind::Guided, 0, 10.0, true}), "monotonic:guided");
  EXPECT_EQ(format_schedule({ScheduleKind::HetProbe, 0, 2.5}), "hetprobe,2.5");
}

TEST(FormatSchedule, IsReadBackAsTheSameSchedule) {
  for (ScheduleKind kind : {ScheduleKind::Static, ScheduleKind::Dynamic, ScheduleKind::Guided})
    for (uint64_t chunk : {uint64_t(0), uint64_t(1), uint64_t(2147483647)})
      for (bool monotonic : {false, true}) {
        const Schedule schedule{kind, chunk, 10.0, monotonic};
        EXPECT_EQ(parse_schedule(format_schedule(schedule)).schedule, schedule);
      }
  EXPECT_EQ(parse_schedule(format_schedule({ScheduleKind::Auto})).schedule, Schedule{ScheduleKind::Auto});
  for (double percent : {0.1, 1.0 / 3, 10.0, 99.999}) {
    const Schedule schedule{ScheduleKind::HetProbe, 0, percent};
    EXPECT_EQ(parse_schedule(format_schedule(schedule)).schedule, schedule);
  }
}

} // namespace
} // namespace hetmp::schedulers
