// Values of environment variables: strict parsing, and the one line a malformed value gets.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace hetmp;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
constexpr int64_t highest = std::numeric_limits<int64_t>::max();

TEST(Environment, Integers) {
  EXPECT_EQ(parse_integer("42", 0, 100), 42);
  EXPECT_EQ(parse_integer(" -7 ", -10, 10), -7);
  EXPECT_EQ(parse_integer("+7", -10, 10), 7);
  EXPECT_EQ(parse_integer("9223372036854775807", lowest, highest), highest);
  EXPECT_EQ(parse_integer("-9223372036854775808", lowest, highest), lowest);
}

TEST(Environment, IntegersOutOfRangeOrMalformedAreRefused) {
  EXPECT_FALSE(parse_integer("101", 0, 100));
  EXPECT_FALSE(parse_integer("-1", 0, 100));
  for (const char* text : {"", " ", "x", "1x", "0x10", "1.0", "1 2", "++1", "+", "-", "+-1", "9223372036854775808"})
    EXPECT_FALSE(parse_integer(text, lowest, highest)) << '"' << text << '"';
}

TEST(Environment, Reals) {
  EXPECT_EQ(parse_real("2.5"), 2.5);
  EXPECT_EQ(parse_real(" 1e3 "), 1000.0);
  EXPECT_EQ(parse_real("-3"), -3.0);
  for (const char* text : {"", "x", "1,5", "2.5%", "1 2"})
    EXPECT_FALSE(parse_real(text)) << '"' << text << '"';
}

TEST(Environment, Booleans) {
  for (const char* text : {"true", "TRUE", "yes", "On", "1", " t ", ".true."})
    EXPECT_EQ(parse_boolean(text), true) << text;
  for (const char* text : {"false", "No", "OFF", "0", "f", ".FALSE."})
    EXPECT_EQ(parse_boolean(text), false) << text;
  for (const char* text : {"", "2", "tru", "yes please", "-1"})
    EXPECT_FALSE(parse_boolean(text)) << '"' << text << '"';
}

TEST(Environment, Text) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_TRUE(equal_ignoring_case("HetProbe", "hETpROBE"));
  EXPECT_FALSE(equal_ignoring_case("static", "stat"));
  EXPECT_FALSE(equal_ignoring_case("stat", "static"));
  EXPECT_TRUE(equal_ignoring_case({}, ""));
  EXPECT_FALSE(equal_ignoring_case({}, "a"));
}

TEST(Environment, ComplaintIsOneLineWithNameValueProblemAndSubstitute) {
  testing::internal::CaptureStderr();
  complain("OMP_SCHEDULE", "statik,4", "not a schedule", "static");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hetmp: OMP_SCHEDULE=statik,4: not a schedule; using static\n");
  testing::internal::CaptureStderr();
  complain_as_libomp(42, "OMP_ALLOCATOR", "x", "no allocator", "y");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "OMP: Warning #42: hetmp: OMP_ALLOCATOR=x: no allocator; using y\n");
}

TEST(Environment, ComplaintsCanBeUnwanted) {
  EXPECT_TRUE(set_complaints(false));
  EXPECT_FALSE(complaints_are_wanted());
  testing::internal::CaptureStderr();
  complain("A", "b", "c", "d");
  complain_as_libomp(1, "A", "b", "c", "d");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(set_complaints(true));
  EXPECT_TRUE(complaints_are_wanted());
}

} // namespace
