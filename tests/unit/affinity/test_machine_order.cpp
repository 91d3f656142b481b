#include "runtime/affinity/machine_order.hpp"

#include "tests/unit/affinity/machines.hpp"

#include <gtest/gtest.h>
#include <set>

namespace hetmp::affinity {
namespace {

std::vector<CpuPosition> positions(const TestMachine& machine) {
  return cpu_positions(machine.groups(TopologyLevel::Sockets), machine.groups(TopologyLevel::Cores), machine.cpus());
}

std::string places(const TestMachine& machine, TopologyLevel level, uint32_t inverted, uint32_t offset = 0) {
  return format_places(groups_in_order(machine.groups(level), in_order(positions(machine), inverted), offset));
}

constexpr TestMachine two_two_two{2, 2, 2}; // cores {0,4}, {1,5} and {2,6}, {3,7}

TEST(MachineOrder, FindsWhereEachCpuIs) {
  EXPECT_EQ(positions({2, 2, 1}),
            (std::vector<CpuPosition>{{0, {0, 0, 0}}, {1, {0, 1, 0}}, {2, {1, 0, 0}}, {3, {1, 1, 0}}}));
}

TEST(MachineOrder, CpusThatNobodyTellsOfAreUnitsOfTheirOwn) {
  EXPECT_EQ(cpu_positions({}, {}, {3, 5}), (std::vector<CpuPosition>{{3, {0, 0, 0}}, {5, {1, 0, 0}}}));
  EXPECT_EQ(cpu_positions({{0, 1, 2}}, {{0, 1}}, {0, 1, 2, 9}),
            (std::vector<CpuPosition>{{0, {0, 0, 0}}, {1, {0, 0, 1}}, {2, {0, 1, 0}}, {9, {1, 0, 0}}}));
}

TEST(MachineOrder, CountsWhatIsAvailableOnly) {
  EXPECT_EQ(cpu_positions({{0, 1}, {2, 3}}, {{0}, {1}, {2}, {3}}, {1, 3}),
            (std::vector<CpuPosition>{{1, {0, 0, 0}}, {3, {1, 0, 0}}}));
}

TEST(MachineOrder, Compact) {
  EXPECT_EQ(places(two_two_two, TopologyLevel::Threads, inverted_of_compact(0)), "{0},{4},{1},{5},{2},{6},{3},{7}");
  EXPECT_EQ(places(two_two_two, TopologyLevel::Threads, inverted_of_compact(1)), "{0},{1},{2},{3},{4},{5},{6},{7}")
      << "one thread of each core first";
  EXPECT_EQ(places(two_two_two, TopologyLevel::Cores, inverted_of_compact(0)), "{0,4},{1,5},{2,6},{3,7}");
  EXPECT_EQ(places(two_two_two, TopologyLevel::Sockets, inverted_of_compact(0)), "{0,1,4,5},{2,3,6,7}");
}

TEST(MachineOrder, Scatter) {
  EXPECT_EQ(places(two_two_two, TopologyLevel::Threads, inverted_of_scatter(0)), "{0},{2},{1},{3},{4},{6},{5},{7}");
  EXPECT_EQ(places(two_two_two, TopologyLevel::Cores, inverted_of_scatter(0)), "{0,4},{2,6},{1,5},{3,7}");
  EXPECT_EQ(places(two_two_two, TopologyLevel::Threads, inverted_of_scatter(2)),
            places(two_two_two, TopologyLevel::Threads, inverted_of_compact(0)));
}

TEST(MachineOrder, NumbersBeyondTheLevelsCount) {
  EXPECT_EQ(inverted_of_compact(7), 2u);
  EXPECT_EQ(inverted_of_scatter(7), 0u);
}

TEST(MachineOrder, OffsetGoesRound) {
  EXPECT_EQ(places({1, 4, 1}, TopologyLevel::Cores, 0, 1), "{1},{2},{3},{0}");
  EXPECT_EQ(places({1, 4, 1}, TopologyLevel::Cores, 0, 6), "{2},{3},{0},{1}");
  EXPECT_TRUE(groups_in_order({}, {}, 3).empty());
}

/// Every machine: each CPU in one place, neighbours as the order says.
TEST(MachineOrder, KeepsEveryCpuOnce) {
  for (int sockets = 1; sockets <= 3; ++sockets)
    for (int cores = 1; cores <= 4; ++cores)
      for (int threads = 1; threads <= 3; ++threads)
        for (uint32_t inverted = 0; inverted <= 3; ++inverted)
          for (const TopologyLevel level : {TopologyLevel::Threads, TopologyLevel::Cores, TopologyLevel::Sockets}) {
            const TestMachine machine{sockets, cores, threads};
            const auto order = in_order(positions(machine), inverted);
            ASSERT_EQ(order.size(), machine.cpus().size());
            std::set<int> cpus;
            for (const Place& place : groups_in_order(machine.groups(level), order, 1))
              for (const int cpu : place)
                ASSERT_TRUE(cpus.insert(cpu).second);
            ASSERT_EQ(cpus.size(), machine.cpus().size());
            // Scattered: as long as there are sockets, the next one is another.
            for (size_t i = 0; inverted >= 2 && i + 1 < size_t(sockets); ++i) {
              ASSERT_NE(order[i].number[0], order[i + 1].number[0]);
            }
          }
}

} // namespace
} // namespace hetmp::affinity
