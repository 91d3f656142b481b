// Programs whose environment has libomp's variables: each suite runs with its own, see CMakeLists.txt.
#include "base/machine/cpu_list.hpp"
#include "runtime/abi/omp/kmp_routines.hpp"
#include "runtime/abi/omp/omp_routines.hpp"

#include <cstdarg>
#include <cstdlib>
#include <gtest/gtest.h>

extern "C" {
void __kmpc_fork_call(const void* location, int32_t arguments, void (*microtask)(int32_t*, int32_t*, ...), ...);
void __kmpc_fork_teams(const void* location, int32_t arguments, void (*microtask)(int32_t*, int32_t*, ...), ...);
void __kmpc_push_num_threads(const void* location, int32_t gtid, int32_t threads);
void __kmpc_push_num_teams(const void* location, int32_t gtid, int32_t teams, int32_t threads);
int32_t __kmpc_global_thread_num(const void* location);
void* omp_alloc(size_t size, uintptr_t allocator);
void omp_free(void* block, uintptr_t allocator);
}

namespace {

const struct {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* text;
} location = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};

const std::vector<int> cpus_at_start = hetmp::allowed_cpus();

struct Found {
  int place = -1;
  std::vector<int> partition;
  std::vector<int> cpus;
};
std::vector<Found> found; // by number of thread or team

Found look() {
  Found here{omp_get_place_num(), std::vector<int>(size_t(omp_get_partition_num_places())), hetmp::allowed_cpus()};
  omp_get_partition_place_nums(here.partition.data());
  return here;
}

void fork(int threads, void (*microtask)(int32_t*, int32_t*, ...)) {
  __kmpc_push_num_threads(&location, __kmpc_global_thread_num(&location), threads);
  __kmpc_fork_call(&location, 0, microtask);
}

void look_as_thread(int32_t*, int32_t*, ...) { found[size_t(omp_get_thread_num())] = look(); }

void do_nothing(int32_t*, int32_t*, ...) {}

void look_around_a_nested_region(int32_t*, int32_t*, ...) {
  if (omp_get_thread_num() == 0)
    fork(2, do_nothing);
  look_as_thread(nullptr, nullptr);
}

void look_as_team(int32_t*, int32_t*, ...) { found[size_t(omp_get_team_num())] = look(); }

/// KMP_AFFINITY=granularity=thread,explicit,proclist=[0,1],reset
class Reset : public testing::Test {
 protected:
  void SetUp() override {
    if (cpus_at_start.size() < 2 || omp_get_num_places() != 2)
      GTEST_SKIP() << "there are no CPUs 0 and 1 for this process";
    found.assign(2, {});
  }
};

TEST_F(Reset, ThreadsHaveTheirPlacesAndThePrimaryIsFreeAfterwards) {
  for (int round = 0; round < 3; ++round) {
    fork(2, look_as_thread);
    EXPECT_EQ(found[0].cpus, std::vector{0});
    EXPECT_EQ(found[1].cpus, std::vector{1});
    EXPECT_EQ(omp_get_place_num(), -1);
    EXPECT_EQ(hetmp::allowed_cpus(), cpus_at_start) << "nor does the question bind it";
  }
}

TEST_F(Reset, ALeagueFreesItToo) {
  __kmpc_push_num_teams(&location, __kmpc_global_thread_num(&location), 2, 1);
  __kmpc_fork_teams(&location, 0, look_as_team);
  EXPECT_EQ(found[1].cpus, std::vector{1});
  EXPECT_EQ(hetmp::allowed_cpus(), cpus_at_start);
}

TEST_F(Reset, NestedRegionsDoNotFreeIt) {
  omp_set_max_active_levels(2);
  fork(2, look_around_a_nested_region);
  EXPECT_EQ(found[0].cpus, std::vector{0});
  EXPECT_EQ(hetmp::allowed_cpus(), cpus_at_start);
}

/// OMP_PLACES={0},{1}: the teams of a league are spread
class League : public Reset {};

TEST_F(League, TeamsDivideThePlaces) {
  for (int teams = 2; teams <= 5; ++teams) {
    found.assign(size_t(teams), {});
    __kmpc_push_num_teams(&location, __kmpc_global_thread_num(&location), teams, 1);
    __kmpc_fork_teams(&location, 0, look_as_team);
    for (int team = 0; team < teams; ++team) {
      const int place = team * 2 / teams; // neighbours share one
      EXPECT_EQ(found[size_t(team)].place, place);
      EXPECT_EQ(found[size_t(team)].partition, std::vector{place});
      EXPECT_EQ(found[size_t(team)].cpus, std::vector{place});
    }
    EXPECT_EQ(omp_get_place_num(), 0) << "back where the league was met";
    EXPECT_EQ(omp_get_partition_num_places(), 2);
  }
}

/// KMP_HW_SUBSET=1s,1c
TEST(Subset, IsWhereThreadsRun) {
  if (omp_get_num_places() == 0)
    GTEST_SKIP() << "the machine does not tell of its cores";
  ASSERT_EQ(omp_get_num_places(), 1);
  const int cpus = omp_get_place_num_procs(0);
  ASSERT_GE(cpus, 1);
  if (!getenv("OMP_NUM_THREADS")) {
    EXPECT_EQ(omp_get_max_threads(), cpus);
  }
  std::vector<int> expected(static_cast<size_t>(cpus));
  omp_get_place_proc_ids(0, expected.data());
  found.assign(2, {});
  fork(2, look_as_thread);
  EXPECT_EQ(found[0].cpus, expected);
  EXPECT_EQ(found[1].cpus, expected);
}

/// KMP_AFFINITY=disabled
TEST(Disabled, MasksAreRefused) {
  void* mask = nullptr;
  kmp_create_affinity_mask(&mask);
  EXPECT_NE(kmp_get_affinity(&mask), 0);
  EXPECT_NE(kmp_set_affinity_mask_proc(cpus_at_start[0], &mask), 0);
  EXPECT_NE(kmp_set_affinity(&mask), 0);
  kmp_destroy_affinity_mask(&mask);
  EXPECT_EQ(omp_get_num_places(), 0);
}

/// OMP_ALLOCATOR=omp_large_cap_mem_space:alignment=256
TEST(Allocator, DefaultIsTheEnvironments) {
  const uintptr_t allocator = omp_get_default_allocator();
  EXPECT_GT(allocator, 8u) << "one that was made";
  EXPECT_EQ(omp_get_default_allocator(), allocator) << "once";
  for (int i = 0; i < 20; ++i) {
    void* block = omp_alloc(size_t(i) + 1, 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 256, 0u);
    omp_free(block, 0);
  }
}

} // namespace
