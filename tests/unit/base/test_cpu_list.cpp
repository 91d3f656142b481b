// Sets of CPUs: the text form both ways, and binding a thread to some of those it may use.
#include "base/machine/cpu_list.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

using hetmp::format_cpu_list;
using hetmp::parse_cpu_list;
using Cpus = std::vector<int>;

TEST(CpuList, ParsesSinglesRangesAndBlanks) {
  EXPECT_EQ(parse_cpu_list("0"), Cpus({0}));
  EXPECT_EQ(parse_cpu_list("0-3"), Cpus({0, 1, 2, 3}));
  EXPECT_EQ(parse_cpu_list("0-1,8,4095"), Cpus({0, 1, 8, 4095}));
  EXPECT_EQ(parse_cpu_list(" 1 , 3 - 4 \n"), Cpus({1, 3, 4}));
}

TEST(CpuList, SortsAndDropsRepetitions) { EXPECT_EQ(parse_cpu_list("5,1-3,2,1"), Cpus({1, 2, 3, 5})); }

TEST(CpuList, RefusesWhatIsNotAList) {
  for (const char* text :
       {"", " ", ",", "0,", ",0", "1-", "-1", "3-1", "1-2-3", "x", "0x1", "4096", "0-4096", "1;2", "1.5"})
    EXPECT_FALSE(parse_cpu_list(text)) << '"' << text << '"';
}

TEST(CpuList, FormatsRunsAsRanges) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({7}), "7");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(CpuList, FormatAndParseAreInverse) {
  // Every subset of the first ten CPUs.
  for (unsigned subset = 1; subset < 1024; ++subset) {
    Cpus cpus;
    for (int cpu = 0; cpu < 10; ++cpu)
      if (subset >> cpu & 1)
        cpus.push_back(cpu);
    EXPECT_EQ(parse_cpu_list(format_cpu_list(cpus)), cpus);
  }
}

TEST(CpuList, BindingNarrowsTheAllowedSet) {
  const Cpus before = hetmp::allowed_cpus();
  ASSERT_FALSE(before.empty());
  bool bound = false;
  Cpus during;
  std::thread([&] {
    bound = hetmp::bind_thread({before.back()});
    during = hetmp::allowed_cpus();
  }).join();
  EXPECT_TRUE(bound);
  EXPECT_EQ(during, Cpus({before.back()}));
  EXPECT_EQ(hetmp::allowed_cpus(), before) << "another thread's binding leaked into this one";
}

TEST(CpuList, BindingToNoExistingCpuIsRefusedAndChangesNothing) {
  const Cpus before = hetmp::allowed_cpus();
  EXPECT_FALSE(hetmp::bind_thread({4095}));
  EXPECT_EQ(hetmp::allowed_cpus(), before);
}

} // namespace
