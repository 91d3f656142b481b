// The routines called from an initial thread, outside of any region, and their twins. (Inside regions:
// tests/conformance.)
#include "runtime/abi/omp/kmp_routines.hpp"
#include "runtime/abi/omp/omp_routines.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>

extern "C" {
int omp_get_max_threads_();
void omp_set_num_threads_(const int*);
void ompc_set_num_threads(int);
void omp_set_schedule_(const uint32_t*, const int*);
void omp_get_schedule_(uint32_t*, int*);
int omp_get_team_size_(const int*);
int omp_capture_affinity_(char*, const char*, size_t, size_t);
}

namespace {

TEST(Routines, OutsideOfRegions) {
  EXPECT_EQ(omp_get_thread_num(), 0);
  EXPECT_EQ(omp_get_num_threads(), 1);
  EXPECT_EQ(omp_in_parallel(), 0);
  EXPECT_EQ(omp_get_level(), 0);
  EXPECT_EQ(omp_get_active_level(), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(0), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(-1), -1);
  EXPECT_EQ(omp_get_ancestor_thread_num(1), -1);
  EXPECT_EQ(omp_get_team_size(0), 1);
  EXPECT_EQ(omp_get_team_size(1), -1);
  EXPECT_GE(omp_get_num_procs(), 1);
  EXPECT_EQ(omp_in_final(), 0);
  EXPECT_EQ(omp_get_cancellation(), 0);
  EXPECT_EQ(omp_get_proc_bind(), 0);
  EXPECT_EQ(omp_get_num_places(), 0);
  EXPECT_EQ(omp_get_supported_active_levels(), INT_MAX);
  EXPECT_EQ(omp_get_thread_limit(), INT_MAX);
}

TEST(Routines, TheHostIsTheOnlyDevice) {
  EXPECT_EQ(omp_get_num_devices(), 0);
  EXPECT_EQ(omp_get_initial_device(), omp_get_device_num());
  EXPECT_EQ(omp_is_initial_device(), 1);
  omp_set_default_device(3);
  EXPECT_EQ(omp_get_default_device(), 3);
  omp_set_default_device(0);
  EXPECT_EQ(omp_pause_resource(1, omp_get_initial_device()), 0);
  EXPECT_NE(omp_pause_resource(1, 77), 0);
  EXPECT_NE(omp_pause_resource_all(9), 0);
  EXPECT_EQ(omp_control_tool(1, 0, nullptr), -2);
}

TEST(Routines, ThreadsOfTheNextRegion) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(7);
  EXPECT_EQ(omp_get_max_threads(), 7);
  ompc_set_num_threads(8);
  EXPECT_EQ(omp_get_max_threads_(), 8);
  const int nine = 9;
  omp_set_num_threads_(&nine);
  EXPECT_EQ(omp_get_max_threads(), 9);
  int elsewhere = 0;
  std::thread([&] { elsewhere = omp_get_max_threads(); }).join();
  EXPECT_EQ(elsewhere, before) << "another initial task has its own ICVs";
  omp_set_num_threads(before);
}

TEST(Routines, Levels) {
  omp_set_max_active_levels(4);
  EXPECT_EQ(omp_get_max_active_levels(), 4);
  EXPECT_EQ(omp_get_nested(), 1);
  omp_set_max_active_levels(-1);
  EXPECT_EQ(omp_get_max_active_levels(), 4) << "nonsense is ignored";
  omp_set_nested(0);
  EXPECT_EQ(omp_get_max_active_levels(), 1);
  omp_set_nested(1);
  EXPECT_GT(omp_get_max_active_levels(), 1);
  omp_set_max_active_levels(1);
  omp_set_dynamic(5);
  EXPECT_EQ(omp_get_dynamic(), 1);
  omp_set_dynamic(0);
  EXPECT_EQ(omp_get_dynamic(), 0);
}

struct KindAndChunk {
  uint32_t kind;
  int chunk;
  bool operator==(const KindAndChunk&) const = default;
};

KindAndChunk set_and_get(uint32_t kind, int chunk) {
  omp_set_schedule(kind, chunk);
  KindAndChunk seen;
  omp_get_schedule(&seen.kind, &seen.chunk);
  return seen;
}

TEST(Routines, Schedules) {
  EXPECT_EQ(set_and_get(omp_sched_static, 0), (KindAndChunk{omp_sched_static, 0}));
  EXPECT_EQ(set_and_get(omp_sched_static, 16), (KindAndChunk{omp_sched_static, 16}));
  EXPECT_EQ(set_and_get(omp_sched_dynamic, -1), (KindAndChunk{omp_sched_dynamic, 1}));
  EXPECT_EQ(set_and_get(omp_sched_guided, 5), (KindAndChunk{omp_sched_guided, 5}));
  EXPECT_EQ(set_and_get(omp_sched_auto, 5).kind, uint32_t(omp_sched_auto));
  EXPECT_EQ(set_and_get(omp_sched_dynamic | omp_sched_monotonic, 3),
            (KindAndChunk{omp_sched_dynamic | omp_sched_monotonic, 3}));
  EXPECT_EQ(set_and_get(omp_sched_hetprobe, 25), (KindAndChunk{omp_sched_hetprobe, 25}));
  EXPECT_EQ(set_and_get(omp_sched_hetprobe, 0), (KindAndChunk{omp_sched_hetprobe, 10})) << "the default percentage";
  EXPECT_EQ(set_and_get(omp_sched_hetprobe_i, 40), (KindAndChunk{omp_sched_hetprobe_i, 40}));
  EXPECT_EQ(set_and_get(omp_sched_hetprobe_i, 101), (KindAndChunk{omp_sched_hetprobe_i, 10}));
  omp_set_schedule(omp_sched_guided, 2);
  EXPECT_EQ(set_and_get(99, 7), (KindAndChunk{omp_sched_guided, 2})) << "unknown kinds change nothing";
  const uint32_t kind = omp_sched_static;
  const int chunk = 4;
  omp_set_schedule_(&kind, &chunk);
  KindAndChunk seen;
  omp_get_schedule_(&seen.kind, &seen.chunk);
  EXPECT_EQ(seen, (KindAndChunk{omp_sched_static, 4}));
  omp_set_schedule(omp_sched_static, 0);
}

TEST(Routines, TimeGoesForward) {
  const double first = omp_get_wtime();
  const double second = omp_get_wtime();
  EXPECT_GE(second, first);
  EXPECT_GT(omp_get_wtick(), 0.0);
  EXPECT_LT(omp_get_wtick(), 0.01);
}

TEST(Routines, DisplayEnvSpeaksOnStandardError) {
  testing::internal::CaptureStderr();
  omp_display_env(0);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("OPENMP DISPLAY ENVIRONMENT BEGIN"), std::string::npos);
}

TEST(Routines, AffinityFormat) {
  omp_set_affinity_format("thread %n of %N");
  char text[64];
  EXPECT_EQ(omp_get_affinity_format(text, sizeof text), strlen("thread %n of %N"));
  EXPECT_STREQ(text, "thread %n of %N");
  EXPECT_EQ(omp_capture_affinity(text, sizeof text, nullptr), strlen("thread 0 of 1"));
  EXPECT_STREQ(text, "thread 0 of 1");
  EXPECT_EQ(omp_capture_affinity(text, 5, "number %n"), strlen("number 0")) << "the length it needs";
  EXPECT_STREQ(text, "numb");
  memset(text, 'x', sizeof text);
  EXPECT_EQ(omp_capture_affinity_(text, "n=%n   ", 6, 7), 3);
  EXPECT_EQ(std::string(text, 7), "n=0   x") << "Fortran pads with blanks";
}

TEST(KmpRoutines, Settings) {
  EXPECT_GT(kmp_get_stacksize_s(), 0u);
  kmp_set_stacksize_s(1 << 20);
  EXPECT_EQ(kmp_get_stacksize_s(), size_t(1) << 20);
  EXPECT_EQ(kmp_get_stacksize(), 1 << 20);
  kmp_set_blocktime(13);
  EXPECT_EQ(kmp_get_blocktime(), 13);
  kmp_set_library_turnaround();
  EXPECT_EQ(kmp_get_library(), 2);
  kmp_set_library_throughput();
  EXPECT_EQ(kmp_get_library(), 3);
  EXPECT_GE(kmp_get_num_known_threads(), 1);
}

TEST(KmpRoutines, AffinityMasks) {
  void *own, *mask;
  kmp_create_affinity_mask(&own);
  kmp_create_affinity_mask(&mask);
  ASSERT_EQ(kmp_get_affinity(&own), 0);
  int cpu = 0;
  while (cpu < kmp_get_affinity_max_proc() && kmp_get_affinity_mask_proc(cpu, &own) != 1)
    ++cpu;
  ASSERT_LT(cpu, kmp_get_affinity_max_proc());
  EXPECT_EQ(kmp_set_affinity(&mask), -1) << "an empty mask";
  EXPECT_EQ(kmp_set_affinity_mask_proc(cpu, &mask), 0);
  EXPECT_EQ(kmp_set_affinity_mask_proc(-1, &mask), -1);
  EXPECT_EQ(kmp_get_affinity_mask_proc(cpu, &mask), 1);
  ASSERT_EQ(kmp_set_affinity(&mask), 0);
  void* seen;
  kmp_create_affinity_mask(&seen);
  kmp_get_affinity(&seen);
  EXPECT_EQ(kmp_get_affinity_mask_proc(cpu, &seen), 1);
  EXPECT_EQ(kmp_unset_affinity_mask_proc(cpu, &seen), 0);
  EXPECT_EQ(kmp_get_affinity_mask_proc(cpu, &seen), 0);
  EXPECT_EQ(kmp_set_affinity(&own), 0);
  for (void** m : {&own, &mask, &seen})
    kmp_destroy_affinity_mask(m);
}

/// Programs built by gcc ask for old versions of the same entries.
TEST(Versions, OlderVersionsAreTheSameEntries) {
  void* library = dlopen(nullptr, RTLD_LAZY);
  std::ifstream list(EXPORTS_FILE);
  std::string line;
  int checked = 0;
  while (std::getline(list, line)) {
    if (line.starts_with('#'))
      continue;
    std::istringstream fields(line);
    std::string name, version;
    fields >> name >> version;
    if (version == "-") // the C library's own names, which have no default here
      continue;
    void* current = dlvsym(library, name.c_str(), version.c_str());
    ASSERT_NE(current, nullptr) << line;
    while (fields >> version) {
      EXPECT_EQ(dlvsym(library, name.c_str(), version.c_str()), current) << name << "@" << version;
      ++checked;
    }
  }
  EXPECT_GT(checked, 256);
}

} // namespace
