#include "schedulers/placement/longest_visits.hpp"

#include <gtest/gtest.h>

namespace hetmp::schedulers {
namespace {

LongestVisits after(std::initializer_list<double> visits_us) {
  LongestVisits longest;
  for (const double us : visits_us)
    longest.add(us);
  return longest;
}

TEST(LongestVisits, ExpectTheLongestAgain) {
  EXPECT_FALSE(LongestVisits{}.known());
  EXPECT_EQ(LongestVisits{}.expected_us(), 0);
  EXPECT_EQ(after({7}).expected_us(), 7);
  EXPECT_EQ(after({3, 7, 5}).expected_us(), 7);
}

/// As the finest level of a multigrid does.
TEST(LongestVisits, ExpectWhatComesNowAndThen) {
  LongestVisits longest;
  for (int visit = 0; visit < 1000; visit++) {
    longest.add(visit % 100 == 0 ? 100 : 6);
    ASSERT_EQ(longest.expected_us(), visit < 67 || visit >= 100 ? 100 : 6) << visit;
  }
}

TEST(LongestVisits, ForgetAnException) {
  LongestVisits longest = after({100});
  for (int visit = 0; visit < 39; visit++) {
    longest.add(10);
    ASSERT_EQ(longest.expected_us(), 100) << visit;
  }
  longest.add(10);
  EXPECT_EQ(longest.expected_us(), 10);
  longest.add(100);
  EXPECT_EQ(longest.expected_us(), 100) << "it was none";
}

TEST(LongestVisits, TellTheMeanOfAllOthers) {
  EXPECT_EQ(LongestVisits{}.mean_of_others_us(), 0);
  EXPECT_EQ(after({100}).mean_of_others_us(), 0);
  EXPECT_EQ(after({10, 100, 20}).mean_of_others_us(), 15);
}

} // namespace
} // namespace hetmp::schedulers
