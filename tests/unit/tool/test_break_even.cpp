// What is read off the curves of a calibration.
#include "runtime/tool/break_even.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace hetmp::tool;
using hetmp::perf::CalibrationPoint;

constexpr double fault_cost = 60;    // us, of a fault
constexpr double fault_overhead = 4; // us of that are execution
constexpr double speed = 20000;      // operations a microsecond

/// A node that loses `fault_cost` for each page and computes at `speed`; both together gain when that pays.
/// The other node is as fast, so they break even where computing on a page takes as long as a fault.
CalibrationPoint model(unsigned power) {
  CalibrationPoint point;
  point.operations_per_byte = std::ldexp(1.0, int(power));
  const double computing = point.operations_per_byte * 4096 / speed;
  point.mops = speed * computing / (computing + fault_cost);
  point.fault_period_us = computing + fault_overhead;
  point.elapsed_us = computing + fault_cost;
  point.gain = 2 * computing / (computing + fault_cost);
  return point;
}

std::vector<CalibrationPoint> curve(unsigned first = 0, unsigned last = 20) {
  std::vector<CalibrationPoint> points;
  for (unsigned power = first; power <= last; ++power)
    points.push_back(model(power));
  return points;
}

TEST(BreakEven, LiesWhereComputingOnAPageTakesAsLongAsItsFault) {
  const auto found = find_break_even(curve());
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->fault_period_us, fault_cost + fault_overhead, 0.05 * fault_cost);
  EXPECT_NEAR(found->operations_per_byte, fault_cost * speed / 4096, 0.05 * fault_cost * speed / 4096);
}

TEST(BreakEven, APointExactlyOnTheLineIsTheAnswer) {
  auto points = curve();
  points[8].gain = 1;
  points[9].gain = 1.5;
  const auto found = find_break_even(points);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->operations_per_byte, 256);
  EXPECT_DOUBLE_EQ(found->fault_period_us, points[8].fault_period_us);
}

TEST(BreakEven, IfEvenTheFirstPointGainsItIsTheFirst) {
  const auto found = find_break_even(curve(12));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->operations_per_byte, 4096);
}

TEST(BreakEven, ThereIsNoneIfNothingGains) {
  EXPECT_FALSE(find_break_even(curve(0, 6)));
  EXPECT_FALSE(find_break_even({}));
}

TEST(BreakEven, OneDisturbedPointNeitherMakesNorHidesIt) {
  const double calm = find_break_even(curve())->fault_period_us;
  auto lucky = curve();
  lucky[3].gain = 1.2; // far below the line otherwise
  EXPECT_NEAR(find_break_even(lucky)->fault_period_us, calm, 0.05 * calm);
  auto unlucky = curve();
  unlucky[17].gain = 0.9;
  EXPECT_NEAR(find_break_even(unlucky)->fault_period_us, calm, 0.05 * calm);
}

TEST(BreakEven, PointsWithoutFaultsAreLeftOut) {
  auto points = curve();
  points[9].fault_period_us = points[9].elapsed_us = std::numeric_limits<double>::infinity();
  EXPECT_EQ(usable_points(points).size(), points.size() - 1);
  EXPECT_NEAR(find_break_even(points)->fault_period_us, fault_cost + fault_overhead, 0.2 * fault_cost);
  for (CalibrationPoint& point : points)
    point.gain = std::nan("");
  EXPECT_FALSE(find_break_even(points));
}

TEST(BreakEven, SaturationIsThePapersCriterion) {
  const auto found = find_saturation(curve(), 0.9); // computing is nine times the fault
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->fault_period_us, 9 * fault_cost + fault_overhead, 0.1 * 9 * fault_cost);
  EXPECT_FALSE(find_saturation({}));
}

TEST(BreakEven, ALuckyLastPointIsNotTheMaximum) {
  auto points = curve();
  const double calm = find_saturation(points)->fault_period_us;
  points.back().mops *= 1.4;
  EXPECT_NEAR(find_saturation(points)->fault_period_us, calm, 0.1 * calm);
}

TEST(BreakEven, TheCostOfAFaultIsWhatComputingDoesNotExplain) {
  EXPECT_NEAR(mean_fault_cost(curve(), 1), fault_cost, 1);
  EXPECT_EQ(mean_fault_cost({}, 1), 0);
  // Two threads fault twice as often as each of them alone, and compute twice as much together.
  auto points = curve();
  for (CalibrationPoint& point : points) {
    point.elapsed_us /= 2;
    point.mops *= 2;
  }
  EXPECT_NEAR(mean_fault_cost(points, 2), fault_cost, 1);
}

struct Reading {
  std::vector<Curve> curves;
  bool complete = false;
  bool take(std::string_view line) { return read_calibration_line(line, curves, complete); }
};

TEST(CalibrationOutput, LinesBecomeCurves) {
  Reading reading;
  EXPECT_TRUE(reading.take("pair 1 4 0.5\n"));
  EXPECT_TRUE(reading.take("point 1 1 59.5 5.1 68.9 0.0079\n"));
  EXPECT_TRUE(reading.take("point 1 2 129.5 inf inf 0.0071\n"));
  EXPECT_TRUE(reading.take("share 1 0.75\n"));
  EXPECT_TRUE(reading.take("pair 2 1 1.5\n"));
  EXPECT_FALSE(reading.complete);
  EXPECT_TRUE(reading.take("end\n"));
  EXPECT_TRUE(reading.complete);
  ASSERT_EQ(reading.curves.size(), 2u);
  EXPECT_EQ(reading.curves[0].threads, 4u);
  EXPECT_EQ(reading.curves[0].speed, 0.5);
  EXPECT_EQ(reading.curves[0].cpu_share, 0.75);
  EXPECT_EQ(reading.curves[1].cpu_share, 1);
  ASSERT_EQ(reading.curves[0].points.size(), 2u);
  EXPECT_EQ(reading.curves[0].points[0].elapsed_us, 68.9);
  EXPECT_TRUE(std::isinf(reading.curves[0].points[1].fault_period_us));
  EXPECT_TRUE(reading.curves[1].points.empty());
}

TEST(CalibrationOutput, WhatIsNoSuchLineIsLeftOut) {
  Reading reading;
  for (const char* line :
       {"", "\n", "point 1 1 1 1 1 1", "pair 0 1 1", "pair 1 0 1", "pair 1 1", "pair one 1 1", "share 1 1", "ended"})
    EXPECT_FALSE(reading.take(line)) << line;
  EXPECT_TRUE(reading.take("pair 1 1 1"));
  for (const char* line :
       {"point 2 1 1 1 1 1", "point 1 1 1 1 1", "point 1 1 1 1 1 x", "point 1 1 1 1 1 1 1", "share 2 1", "share 1 x"})
    EXPECT_FALSE(reading.take(line)) << line;
  EXPECT_TRUE(reading.curves[0].points.empty());
  EXPECT_FALSE(reading.complete);
}

} // namespace
