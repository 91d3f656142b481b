// Threads on places, in a program whose environment asks for them: see CMakeLists.txt.
#include "base/machine/cpu_list.hpp"
#include "runtime/abi/omp/omp_routines.hpp"

#include <cstdarg>
#include <gtest/gtest.h>
#include <mutex>

extern "C" {
void __kmpc_fork_call(const void* location, int32_t arguments, void (*microtask)(int32_t*, int32_t*, ...), ...);
void __kmpc_push_num_threads(const void* location, int32_t gtid, int32_t threads);
void __kmpc_push_proc_bind(const void* location, int32_t gtid, int32_t bind);
int32_t __kmpc_global_thread_num(const void* location);
}

namespace {

const struct {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* text;
} location = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};

struct Found {
  int place = -1;
  int partition = -1;
  std::vector<int> cpus;
};
std::vector<Found> found; // by thread number

void look(int32_t*, int32_t*, ...) {
  found[size_t(omp_get_thread_num())] = {omp_get_place_num(), omp_get_partition_num_places(), hetmp::allowed_cpus()};
}

/// A region of so many threads; `bind` as in omp_proc_bind_t, or negative.
void look_with(int threads, int bind = -1) {
  found.assign(size_t(threads), {});
  const int32_t self = __kmpc_global_thread_num(&location);
  __kmpc_push_num_threads(&location, self, threads);
  if (bind >= 0)
    __kmpc_push_proc_bind(&location, self, bind);
  __kmpc_fork_call(&location, 0, look);
}

class Places : public testing::Test {
 protected:
  void SetUp() override {
    if (omp_get_num_places() != 2)
      GTEST_SKIP() << "there are no CPUs 0 and 1 for this process";
  }
};

TEST_F(Places, AreThoseOfTheEnvironment) {
  EXPECT_EQ(omp_get_place_num_procs(0), 1);
  int cpu = -1;
  omp_get_place_proc_ids(1, &cpu);
  EXPECT_EQ(cpu, 1);
  EXPECT_EQ(omp_get_place_num_procs(2), 0);
  EXPECT_EQ(omp_get_proc_bind(), 4) << "spread";
  EXPECT_EQ(omp_get_place_num(), 0);
  EXPECT_EQ(omp_get_partition_num_places(), 2);
}

TEST_F(Places, ThreadsRunOnTheirs) {
  look_with(2);
  for (int thread = 0; thread < 2; ++thread) {
    EXPECT_EQ(found[size_t(thread)].place, thread);
    EXPECT_EQ(found[size_t(thread)].partition, 1);
    EXPECT_EQ(found[size_t(thread)].cpus, std::vector{thread});
  }
}

TEST_F(Places, TheClauseDecidesForItsRegion) {
  look_with(2, 2); // primary
  EXPECT_EQ(found[1].place, 0);
  EXPECT_EQ(found[1].cpus, std::vector{0});
  EXPECT_EQ(found[1].partition, 2);
  look_with(4, 3); // close
  EXPECT_EQ(found[1].place, 0);
  EXPECT_EQ(found[2].place, 1);
  EXPECT_EQ(found[3].cpus, std::vector{1});
  look_with(2);
  EXPECT_EQ(found[1].place, 1) << "spread again";
}

} // namespace
