// How fast a program goes on.
#include "schedulers/together/program_pace.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace hetmp::schedulers {
namespace {

TEST(ProgramPace, IsNotKnownBeforeAnInterval) {
  ProgramPace pace;
  EXPECT_EQ(pace.us_per_iteration(), std::numeric_limits<double>::infinity());
  pace.look(5, 500, 1000);
  EXPECT_EQ(pace.intervals(), 0U);
  EXPECT_EQ(pace.us_per_iteration(), std::numeric_limits<double>::infinity());
}

TEST(ProgramPace, IsTheLeastInterval) {
  ProgramPace pace;
  pace.look(5, 500, 1000);
  pace.look(6, 600, 90'000); // some output
  pace.look(9, 900, 93'000);
  pace.look(10, 1000, 95'000);
  EXPECT_EQ(pace.intervals(), 3U);
  EXPECT_EQ(pace.visits(), 5U);
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 10);
}

TEST(ProgramPace, LooksWithoutIterationsInBetweenAreOne) {
  ProgramPace pace;
  pace.look(5, 500, 1000);
  pace.look(6, 500, 5000);
  pace.look(7, 500, 5000);
  EXPECT_EQ(pace.intervals(), 0U);
  pace.look(8, 600, 6000);
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 50);
}

TEST(ProgramPace, BeginAnew) {
  ProgramPace pace;
  pace.look(5, 500, 1000);
  pace.look(6, 600, 2000);
  pace.begin_anew();
  EXPECT_EQ(pace.intervals(), 0U);
  pace.look(7, 700, 9000);
  pace.look(9, 900, 13'000);
  EXPECT_EQ(pace.visits(), 2U);
  EXPECT_DOUBLE_EQ(pace.us_per_iteration(), 20);
}

} // namespace
} // namespace hetmp::schedulers
