// What visits took, and what nodes alone would have taken.
#include "schedulers/learning/visit_times.hpp"

#include "loop_visits.hpp"

#include <initializer_list>

namespace hetmp::schedulers {
namespace {

/// A visit of 300 iterations by nodes of 1 and 2 threads; a thread was busy for half of the time.
std::vector<NodeMeasurement> wholes(double us0, double us1) {
  std::vector<NodeMeasurement> nodes = {measured(1, 100, us0, 0), measured(2, 200, 2 * us1, 0)};
  for (NodeMeasurement& node : nodes)
    node.busy_us = node.thread_us / 2;
  return nodes;
}

VisitTimes after(std::initializer_list<double> visits) {
  VisitTimes times;
  for (const double us : visits)
    times.take(wholes(us, us));
  return times;
}

TEST(VisitTimes, TheLastNodeEndsAVisit) {
  VisitTimes times;
  times.take(wholes(600, 900));
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 3); // 900 us, 300 iterations
}

TEST(VisitTimes, ANodeAloneDoesNotWait) {
  VisitTimes times;
  times.take(wholes(600, 900));
  EXPECT_DOUBLE_EQ(times.least().alone_us[0], 3);    // 300 us, 100 iterations, one thread
  EXPECT_DOUBLE_EQ(times.least().alone_us[1], 2.25); // 900 us, 200 iterations, two threads
}

TEST(VisitTimes, AQuotaHoldsANodeBackWhenItIsAlone) {
  VisitTimes times;
  std::vector<NodeMeasurement> nodes = wholes(600, 900);
  nodes[0].granted_cpus = 0.5;
  times.take(nodes);
  EXPECT_DOUBLE_EQ(times.least().alone_us[0], 6);
}

TEST(VisitTimes, NothingIsKnownOfANodeWithoutIterations) {
  VisitTimes times;
  times.take({measured(1, 100, 500, 0), measured(2, 0, 0, 0)});
  EXPECT_EQ(times.least().alone_us[1], infinity);
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 5);
}

TEST(VisitTimes, AVisitOfWhichNothingWasMeasuredIsNone) {
  VisitTimes times = after({900, 900});
  times.take({measured(1, 0, 0, 0), measured(2, 0, 0, 0)});
  EXPECT_FALSE(times.known());
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 3);
}

TEST(VisitTimes, TheFirstVisitCountsForNothing) {
  EXPECT_FALSE(after({900}).glimpsed());
  EXPECT_TRUE(after({900, 900}).glimpsed());
  EXPECT_FALSE(after({900, 900}).known());
  EXPECT_TRUE(after({900, 900, 900}).known());
  EXPECT_DOUBLE_EQ(after({300, 900}).least().elapsed_us, 3);
}

TEST(VisitTimes, PagesThatSettleAreWaitedForButNotForEver) {
  EXPECT_FALSE(after({900, 900, 600}).known());
  EXPECT_TRUE(after({900, 900, 600, 600}).known());
  EXPECT_FALSE(after({900, 800, 600, 400}).known());
  EXPECT_TRUE(after({900, 800, 600, 400, 200}).known());
}

TEST(VisitTimes, ADisturbedVisitIsForgiven) { EXPECT_DOUBLE_EQ(after({900, 300, 3000}).least().elapsed_us, 1); }

TEST(VisitTimes, VisitsThatWereOnlyTimedCountAsTheirMean) {
  VisitTimes times = after({900, 900, 900});
  times.take_shares(wholes(300, 300));
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 1);
  times.take_shares(wholes(900, 300)); // held up
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 2);
  times.take(wholes(900, 900));
  times.take_shares(wholes(600, 300));
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 2) << "since the last measured visit";
}

TEST(VisitTimes, ANodeThatIsNotUsedAnyMoreIsAsFastAsItWas) {
  VisitTimes times = after({900, 900});
  for (int i = 0; i < 3; ++i)
    times.take({measured(1, 300, 900, 0), measured(2, 0, 0, 0)});
  EXPECT_DOUBLE_EQ(times.least().alone_us[1], 2.25);
}

TEST(VisitTimes, BeginAnew) {
  VisitTimes times = after({900, 900, 900});
  times.begin_anew();
  EXPECT_FALSE(times.glimpsed());
  times.take(wholes(300, 300));
  EXPECT_FALSE(times.glimpsed());
  EXPECT_DOUBLE_EQ(times.least().elapsed_us, 1);
}

} // namespace
} // namespace hetmp::schedulers
