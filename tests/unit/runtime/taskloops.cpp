// Into which tasks a taskloop is divided.
#include "runtime/task_graph/taskloop.hpp"

#include <gtest/gtest.h>

namespace hetmp::test {
namespace {

using runtime::divide_taskloop;
using runtime::TaskloopClause;
using runtime::TaskloopDivision;

/// Sizes of the tasks, which follow each other without gaps.
std::vector<uint64_t> sizes(uint64_t trips, TaskloopClause clause, uint64_t value, bool strict = false,
                            uint32_t threads = 4) {
  const TaskloopDivision division = divide_taskloop(trips, clause, value, strict, threads);
  std::vector<uint64_t> found;
  uint64_t next = 0;
  for (uint64_t number = 0; number < division.tasks; number++) {
    EXPECT_EQ(division.begin(number), next);
    next = division.end(number, trips);
    EXPECT_GT(next, division.begin(number));
    found.push_back(next - division.begin(number));
  }
  EXPECT_EQ(next, trips);
  return found;
}

TEST(Taskloops, GrainsizeBoundsTheTasks) {
  for (uint64_t trips = 0; trips < 100; trips++)
    for (uint64_t grain = 1; grain < 40; grain++)
      for (uint64_t size : sizes(trips, TaskloopClause::Grainsize, grain)) {
        EXPECT_GE(size, std::min(grain, trips));
        EXPECT_LT(size, 2 * grain);
      }
}

TEST(Taskloops, StrictGrainsizeIsExact) {
  for (uint64_t trips = 1; trips < 100; trips++)
    for (uint64_t grain = 1; grain < 40; grain++) {
      const auto found = sizes(trips, TaskloopClause::Grainsize, grain, true);
      EXPECT_EQ(found.size(), (trips + grain - 1) / grain);
      for (size_t i = 0; i + 1 < found.size(); i++)
        EXPECT_EQ(found[i], grain);
    }
}

TEST(Taskloops, AsManyTasksAsAskedFor) {
  for (uint64_t trips = 1; trips < 100; trips++)
    for (uint64_t tasks = 1; tasks < 120; tasks++)
      EXPECT_EQ(sizes(trips, TaskloopClause::NumTasks, tasks).size(), std::min(trips, tasks));
}

TEST(Taskloops, WithoutAClauseSomeForEachThread) {
  EXPECT_EQ(sizes(7, TaskloopClause::None, 0).size(), 7u);
  EXPECT_GE(sizes(1000, TaskloopClause::None, 0).size(), 4u);
  EXPECT_LE(sizes(1000, TaskloopClause::None, 0).size(), 100u);
}

TEST(Taskloops, Trips) {
  using runtime::taskloop_trips;
  EXPECT_EQ(taskloop_trips(0, 9, 1), 10u);
  EXPECT_EQ(taskloop_trips(0, 9, 4), 3u);
  EXPECT_EQ(taskloop_trips(9, 0, -4), 3u);
  EXPECT_EQ(taskloop_trips(uint64_t(-5), 5, 1), 11u);
  EXPECT_EQ(taskloop_trips(5, uint64_t(-5), -2), 6u);
  EXPECT_EQ(taskloop_trips(UINT64_MAX - 3, UINT64_MAX, 1), 4u);
  EXPECT_EQ(taskloop_trips(5, 4, 1), 0u);
  EXPECT_EQ(taskloop_trips(5, 6, -1), 0u);
  EXPECT_EQ(taskloop_trips(0, UINT64_MAX - 1, 1), UINT64_MAX);
}

} // namespace
} // namespace hetmp::test
