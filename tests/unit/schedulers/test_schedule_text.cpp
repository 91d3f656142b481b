#include "schedulers/policies/schedule_text.hpp"

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
      {"trapezoidal,13", {ScheduleKind::Guided, 13, 10.0, false, true}},
      {"static_steal,14", {ScheduleKind::Dynamic, 14}},
      {"hetprobe,10", {ScheduleKind::HetProbe}},
      {"HetProbe, 2.5", {ScheduleKind::HetProbe, 0, 2.5}},
      {"hetprobe,1e-3", {ScheduleKind::HetProbe, 0, 0.001}},
      {"hetprobe,100", {ScheduleKind::HetProbe, 0, 100}},
      {"hetprobe-i", {ScheduleKind::HetProbeI}},
      {"HetProbe-I , 5", {ScheduleKind::HetProbeI, 0, 5}},
      {"hetprobe_i,0.5", {ScheduleKind::HetProbeI, 0, 0.5}},
      {" Het_Irregular,20", {ScheduleKind::HetProbeI, 0, 20}},
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
      {"hetprobe-i,", "percentage"},
      {"hetprobe-i,0", "percentage"},
      {"het_irregular,101", "percentage"},
      {"hetprobe-i,nan", "percentage"},
      {"hetprobe-", "unknown schedule kind \"hetprobe-\""},
      {"hetprobe - i", "unknown schedule kind"},
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
  EXPECT_EQ(format_schedule({ScheduleKind::Guided, 13, 10.0, false, true}), "trapezoidal,13");
  EXPECT_EQ(format_schedule({ScheduleKind::HetProbe, 0, 2.5}), "hetprobe,2.5");
  EXPECT_EQ(format_schedule({ScheduleKind::HetProbeI, 0, 5}), "hetprobe-i,5");
}

TEST(FormatSchedule, IsReadBackAsTheSameSchedule) {
  for (ScheduleKind kind : {ScheduleKind::Static, ScheduleKind::Dynamic, ScheduleKind::Guided})
    for (uint64_t chunk : {uint64_t(0), uint64_t(1), uint64_t(2147483647)})
      for (bool monotonic : {false, true}) {
        const Schedule schedule{kind, chunk, 10.0, monotonic};
        EXPECT_EQ(parse_schedule(format_schedule(schedule)).schedule, schedule);
      }
  EXPECT_EQ(parse_schedule(format_schedule({ScheduleKind::Auto})).schedule, Schedule{ScheduleKind::Auto});
  for (ScheduleKind kind : {ScheduleKind::HetProbe, ScheduleKind::HetProbeI})
    for (double percent : {0.1, 1.0 / 3, 10.0, 99.999}) {
      const Schedule schedule{kind, 0, percent};
      EXPECT_EQ(parse_schedule(format_schedule(schedule)).schedule, schedule);
    }
}

TEST(ParseInNodeSchedule, AcceptsWhatThreadsOfANodeCanDo) {
  EXPECT_EQ(parse_in_node_schedule("static").schedule, Schedule{ScheduleKind::Static});
  EXPECT_EQ(parse_in_node_schedule(" Dynamic ").schedule, Schedule{ScheduleKind::Dynamic});
  EXPECT_EQ(parse_in_node_schedule("dynamic, 64").schedule, (Schedule{ScheduleKind::Dynamic, 64}));
  EXPECT_EQ(parse_in_node_schedule("guided").schedule, Schedule{ScheduleKind::Guided});
  EXPECT_EQ(parse_in_node_schedule("GUIDED,2").schedule, (Schedule{ScheduleKind::Guided, 2}));
}

TEST(ParseInNodeSchedule, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } table[] = {
      {"", "no schedule kind"},
      {"dynamic,0", "the chunk is not a whole number from 1 to 2147483647"},
      {"static,4", "static takes no chunk within a node"},
      {"auto", "within a node a loop is static, dynamic or guided"},
      {"hetprobe", "within a node a loop is static, dynamic or guided"},
      {"hetprobe-i,5", "within a node a loop is static, dynamic or guided"},
      {"monotonic:dynamic", "a modifier has no meaning within a node"},
      {"nonmonotonic:guided,4", "a modifier has no meaning within a node"},
  };
  for (const auto& row : table) {
    const ParsedSchedule parsed = parse_in_node_schedule(row.text);
    EXPECT_FALSE(parsed.schedule) << row.text;
    EXPECT_EQ(parsed.error, row.error) << row.text;
  }
}

} // namespace
} // namespace hetmp::schedulers
