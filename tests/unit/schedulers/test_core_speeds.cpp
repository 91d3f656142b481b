#include "schedulers/arithmetic/core_speeds.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

TEST(ParseCoreSpeeds, ReadsRatiosWithEitherSeparator) {
  const struct {
    const char* text;
    std::vector<double> expected;
  } table[] = {
      {"3,1", {3, 1}},        {"3:1", {3, 1}},      {"1", {1}}, {" 2.5 , 1 : 0", {2.5, 1, 0}},
      {"0,1e-3", {0, 0.001}}, {"0,0,7", {0, 0, 7}},
  };
  for (const auto& row : table) {
    const ParsedCoreSpeeds parsed = parse_core_speeds(row.text);
    ASSERT_TRUE(parsed.speeds) << row.text << ": " << parsed.error;
    EXPECT_EQ(parsed.speeds->of_node, row.expected) << row.text;
    EXPECT_EQ(parsed.error, "") << row.text;
  }
}

TEST(ParseCoreSpeeds, SaysWhatIsWrong) {
  for (const char* text : {"", ",", "3,", ":1", "3;1", "3 1", "x", "-1,1", "nan,1", "inf", "1e999", "3,,1", "0x3"}) {
    const ParsedCoreSpeeds parsed = parse_core_speeds(text);
    EXPECT_FALSE(parsed.speeds) << text;
    EXPECT_EQ(parsed.error, "a core speed ratio is not a number from 0 up") << text;
  }
  EXPECT_EQ(parse_core_speeds("0,0.0").error, "no core speed ratio is above 0");
  std::string text = "1";
  for (int i = 1; i < 64; ++i)
    text += ",1";
  EXPECT_TRUE(parse_core_speeds(text).speeds);
  EXPECT_EQ(parse_core_speeds(text + ",1").error, "more than 64 core speed ratios");
}

} // namespace
} // namespace hetmp::schedulers
