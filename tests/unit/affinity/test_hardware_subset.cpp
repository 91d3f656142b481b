#include "runtime/affinity/hardware_subset.hpp"

#include "base/machine/cpu_list.hpp"
#include "tests/unit/affinity/machines.hpp"

#include <gtest/gtest.h>

namespace hetmp::affinity {
namespace {

/// The CPUs, or "! " and what is wrong.
std::string subset(const TestMachine& machine, std::string_view text, std::vector<int> available = {}) {
  const ParsedSubset parsed = parse_subset(text);
  if (!parsed.error.empty())
    return "! " + parsed.error;
  std::string problem;
  const auto cpus = subset_of(
      parsed.units, available.empty() ? machine.cpus() : available,
      [&](TopologyLevel level) { return machine.groups(level); }, problem);
  EXPECT_EQ(cpus.empty(), !problem.empty());
  return problem.empty() ? format_cpu_list(cpus) : "! " + problem;
}

constexpr TestMachine flat{1, 4, 1};
constexpr TestMachine two_four_two{2, 4, 2}; // socket 0: 0-3 and 8-11; socket 1: 4-7 and 12-15

TEST(HardwareSubset, UnitsComeFromTheLargestToTheSmallest) {
  const std::vector<SubsetUnits> wanted{
      {TopologyLevel::Sockets, 2, 0}, {TopologyLevel::Cores, 4, 1}, {TopologyLevel::Threads, 1, 0}};
  for (const char* text : {"2s,4c@1,1t", "1t,2s,4c@1", "4C@1 , 1T@0, 2S"})
    EXPECT_EQ(parse_subset(text).units, wanted) << text;
  EXPECT_EQ(parse_subset("1n,1ll").units, (std::vector<SubsetUnits>{{TopologyLevel::Sockets},
                                                                    {TopologyLevel::NumaDomains, 1},
                                                                    {TopologyLevel::LastLevelCaches, 1},
                                                                    {TopologyLevel::Cores}}))
      << "sockets and cores divide even if nobody names them";
}

TEST(HardwareSubset, ChoosesWithinTheLevelAbove) {
  EXPECT_EQ(subset(flat, "2c"), "0-1");
  EXPECT_EQ(subset(flat, "2c@1"), "1-2");
  EXPECT_EQ(subset(two_four_two, "1s"), "0-3,8-11");
  EXPECT_EQ(subset(two_four_two, "1s@1"), "4-7,12-15");
  EXPECT_EQ(subset(two_four_two, "2c"), "0-1,4-5,8-9,12-13") << "of each socket";
  EXPECT_EQ(subset(two_four_two, "1t"), "0-7") << "of each core";
  EXPECT_EQ(subset(two_four_two, "1s,2c,1t"), "0-1");
  EXPECT_EQ(subset(two_four_two, "1t@1,1c@3,2s"), "11,15");
  EXPECT_EQ(subset(two_four_two, "1n,1c"), "0,4,8,12");
}

TEST(HardwareSubset, AColonMeansWhatIsNamedAndNothingElse) {
  EXPECT_EQ(parse_subset(":1s,3t").units,
            (std::vector<SubsetUnits>{{TopologyLevel::Sockets, 1}, {TopologyLevel::Threads, 3}}));
  EXPECT_EQ(subset(two_four_two, ":1s,3t"), "0-1,8") << "threads of the socket, core by core";
  EXPECT_EQ(subset(two_four_two, ":2t@1"), "1,8") << "of the machine";
  EXPECT_EQ(subset(two_four_two, " : 1c"), "0,8");
  EXPECT_EQ(subset(flat, ":"), "! units are S, N, LL, C and T");
  EXPECT_EQ(subset(flat, "1c,:1t"), "! units are S, N, LL, C and T");
}

TEST(HardwareSubset, AllOfALevel) {
  EXPECT_EQ(subset(two_four_two, "1s,*c"), "0-3,8-11");
  EXPECT_EQ(subset(two_four_two, "c,1s"), "0-3,8-11");
  EXPECT_EQ(subset(two_four_two, "*c@2,1t"), "2-3,6-7");
}

TEST(HardwareSubset, CountsWhatIsAvailable) {
  EXPECT_EQ(subset(flat, "2c", {1, 3}), "1,3");
  EXPECT_EQ(subset(two_four_two, "1s", {6, 7}), "6-7");
  EXPECT_EQ(subset(two_four_two, "2c", {0, 1, 2, 4}), "0-1,4") << "a socket that has fewer gives what it has";
}

TEST(HardwareSubset, SaysWhatTheMachineLacks) {
  EXPECT_EQ(subset(flat, "2s"), "! more sockets than there are (1)");
  EXPECT_EQ(subset(flat, "5c"), "! more cores than there are in one unit of the level above (4)");
  EXPECT_EQ(subset(flat, "2c@3"), "! more cores than there are in one unit of the level above (4)");
  EXPECT_EQ(subset(flat, "*c@4"), "! more cores than there are in one unit of the level above (4)");
  EXPECT_EQ(subset(flat, "2t"), "! more hardware threads than there are in one unit of the level above (1)");
  std::string problem;
  const auto nothing = [](TopologyLevel) { return std::vector<std::vector<int>>{}; };
  EXPECT_TRUE(subset_of(parse_subset("1c").units, {0, 1}, nothing, problem).empty());
  EXPECT_EQ(problem, "the machine does not tell of its sockets");
}

TEST(HardwareSubset, SaysWhatIsMalformed) {
  for (const char* text : {"", "2", "2x", "l2", "1d", "2tile", ",", "2c,", "-1c"})
    EXPECT_EQ(subset(flat, text), "! units are S, N, LL, C and T") << text;
  EXPECT_EQ(subset(flat, "0c"), "! expected a number of units");
  EXPECT_EQ(subset(flat, "1c@"), "! expected how many units to leave out at the end");
  EXPECT_EQ(subset(flat, "1c,2c"), "! cores are named twice");
  EXPECT_EQ(subset(flat, "1c:eff0"), "! kinds of cores cannot be told apart");
  EXPECT_EQ(subset(flat, "1s 2c"), "! expected a comma between units");
}

/// Every part of every machine: so many units, each with all it has.
TEST(HardwareSubset, HasTheSizeThatIsAskedFor) {
  for (int sockets = 1; sockets <= 3; ++sockets)
    for (int cores = 1; cores <= 3; ++cores)
      for (int threads = 1; threads <= 2; ++threads)
        for (int s = 1; s <= sockets; ++s)
          for (int c = 1; c <= cores; ++c)
            for (int t = 1; t <= threads; ++t) {
              const TestMachine machine{sockets, cores, threads};
              const std::string text = std::to_string(s) + "s@" + std::to_string(sockets - s) + "," +
                                       std::to_string(t) + "t," + std::to_string(c) + "c";
              std::string problem;
              const auto cpus = subset_of(
                  parse_subset(text).units, machine.cpus(), [&](TopologyLevel level) { return machine.groups(level); },
                  problem);
              ASSERT_EQ(problem, "") << text;
              ASSERT_EQ(cpus.size(), size_t(s * c * t)) << text;
              for (int socket = sockets - s; socket < sockets; ++socket)
                ASSERT_TRUE(std::binary_search(cpus.begin(), cpus.end(), machine.cpu(socket, c - 1, t - 1))) << text;
            }
}

} // namespace
} // namespace hetmp::affinity
