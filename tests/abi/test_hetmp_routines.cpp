// hetmp.h: what it says of one node, schedules of hetmp's own, reports on demand.
#include "runtime/abi/hetmp/hetmp.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

extern "C" void omp_set_schedule(unsigned kind, int chunk);
extern "C" void omp_get_schedule(unsigned* kind, int* chunk);

namespace {

std::string file_name(const char* ending) {
  return testing::TempDir() + "hetmp_routines_" + std::to_string(getpid()) + ending;
}

std::string text_of(const std::string& name) {
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HetmpRoutines, OneNodeIsNumberZero) {
  EXPECT_EQ(hetmp_get_num_nodes(), 1);
  EXPECT_EQ(hetmp_get_node_num(), 0);
}

TEST(HetmpRoutines, SchedulesAreThoseOfTheVariable) {
  unsigned kind = 0;
  int chunk = -1;
  omp_set_schedule(hetmp_sched_hetprobe, 20);
  omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(kind, unsigned(hetmp_sched_hetprobe));
  EXPECT_EQ(chunk, 20);
  omp_set_schedule(hetmp_sched_hetprobe_i, 0);
  omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(kind, unsigned(hetmp_sched_hetprobe_i));
  omp_set_schedule(1, 0); // static
}

TEST(HetmpRoutines, ReportsAreWrittenWhenAskedFor) {
  const std::string text = file_name(".txt"), json = file_name(".json");
  ASSERT_EQ(hetmp_write_report(text.c_str()), 0);
  ASSERT_EQ(hetmp_write_report(json.c_str()), 0);
  EXPECT_NE(text_of(text), "");
  EXPECT_EQ(text_of(json).substr(0, 1), "{");
  remove(text.c_str());
  remove(json.c_str());
}

TEST(HetmpRoutines, WhatCannotBeWrittenIsTold) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(hetmp_write_report(nullptr), EINVAL);
  EXPECT_EQ(hetmp_write_report(""), EINVAL);
  EXPECT_EQ(hetmp_write_report("/nowhere/report.txt"), ENOENT);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); // the program is told, not its user
}

} // namespace
