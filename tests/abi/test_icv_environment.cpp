// ICVs from the environment, and the text that shows them.
#include "runtime/settings/settings.hpp"

#include <climits>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace hetmp::runtime;
using hetmp::schedulers::ScheduleKind;

namespace {

const char* const variables[] = {
    "OMP_NUM_THREADS",
    "OMP_SCHEDULE",
    "OMP_DYNAMIC",
    "OMP_NESTED",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_THREAD_LIMIT",
    "OMP_WAIT_POLICY",
    "OMP_STACKSIZE",
    "KMP_STACKSIZE",
    "OMP_CANCELLATION",
    "KMP_BLOCKTIME",
    "OMP_DEFAULT_DEVICE",
    "OMP_MAX_TASK_PRIORITY",
    "OMP_DISPLAY_ENV",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "OMP_NUM_TEAMS",
    "OMP_TEAMS_THREAD_LIMIT",
    "KMP_ENABLE_TASK_THROTTLING",
    "OMP_TARGET_OFFLOAD",
    "OMP_ALLOCATOR",
    "KMP_LIBRARY",
    "KMP_ALL_THREADS",
    "KMP_DEVICE_THREAD_LIMIT",
    "KMP_MAX_THREADS",
    "GOMP_STACKSIZE",
    "KMP_TEAMS_THREAD_LIMIT",
    "KMP_DISP_NUM_BUFFERS",
    "KMP_SETTINGS",
    "KMP_VERSION",
    "KMP_WARNINGS",
    "LIBOMP_NUM_HIDDEN_HELPER_THREADS",
    "LIBOMP_USE_HIDDEN_HELPER_TASK",
};

class IcvEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : variables)
      unsetenv(name);
  }

  /// Reads with one variable set; `complaints` then holds what was said.
  ProgramIcvs with(const char* name, const char* value) {
    setenv(name, value, 1);
    testing::internal::CaptureStderr();
    ProgramIcvs icvs = read_icvs_from_environment(4);
    complaints = testing::internal::GetCapturedStderr();
    unsetenv(name);
    return icvs;
  }

  void expect_one_complaint(const char* name) {
    EXPECT_TRUE(complaints.starts_with(std::string("hetmp: ") + name + "=")) << complaints;
    EXPECT_EQ(complaints.find('\n'), complaints.size() - 1) << "one line: " << complaints;
  }

  std::string complaints;
};

TEST_F(IcvEnvironment, DefaultsAreTheSpecifications) {
  const ProgramIcvs icvs = with("OMP_PLACES", "");
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(icvs.initial.nthreads, 4u);
  EXPECT_TRUE(icvs.nthreads_by_level.empty());
  EXPECT_EQ(icvs.initial.max_active_levels, 1u);
  EXPECT_EQ(icvs.initial.run_schedule.kind, ScheduleKind::Static);
  EXPECT_EQ(icvs.thread_limit, uint32_t(INT_MAX));
  EXPECT_EQ(icvs.stack_bytes, 0u);
  EXPECT_EQ(icvs.blocktime_ms, -1);
  EXPECT_FALSE(icvs.cancellation);
}

TEST_F(IcvEnvironment, ThreadsByLevel) {
  const ProgramIcvs icvs = with("OMP_NUM_THREADS", " 8, 2 ,1");
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(icvs.nthreads_by_level, (std::vector<uint32_t>{8, 2, 1}));
  EXPECT_EQ(icvs.initial.nthreads, 8u);
  EXPECT_EQ(icvs.initial.max_active_levels, uint32_t(INT_MAX)) << "a list asks for nested parallelism";
}

TEST_F(IcvEnvironment, MalformedThreads) {
  for (const char* value : {"0", "-3", "four", "4,,2", "4,", "99999999999"}) {
    const ProgramIcvs icvs = with("OMP_NUM_THREADS", value);
    expect_one_complaint("OMP_NUM_THREADS");
    EXPECT_EQ(icvs.initial.nthreads, 4u) << value;
    EXPECT_TRUE(icvs.nthreads_by_level.empty()) << value;
  }
}

TEST_F(IcvEnvironment, Schedule) {
  ProgramIcvs icvs = with("OMP_SCHEDULE", "dynamic, 7");
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(icvs.initial.run_schedule.kind, ScheduleKind::Dynamic);
  EXPECT_EQ(icvs.initial.run_schedule.chunk, 7u);
  icvs = with("OMP_SCHEDULE", "hetprobe,25");
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(icvs.initial.run_schedule.kind, ScheduleKind::HetProbe);
  EXPECT_EQ(icvs.initial.run_schedule.probe_percent, 25.0);
  icvs = with("OMP_SCHEDULE", "sometimes");
  expect_one_complaint("OMP_SCHEDULE");
  EXPECT_EQ(icvs.initial.run_schedule, hetmp::schedulers::Schedule{});
  EXPECT_EQ(with("OMP_SCHEDULE", "static").initial.run_schedule, hetmp::schedulers::Schedule{});
  EXPECT_EQ(with("OMP_DYNAMIC", "true").initial.run_schedule, hetmp::schedulers::Schedule{.unsaid = true});
}

TEST_F(IcvEnvironment, StackSizes) {
  EXPECT_EQ(with("OMP_STACKSIZE", "512").stack_bytes, 512u << 10) << "kilobytes unless said otherwise";
  EXPECT_EQ(with("OMP_STACKSIZE", "65536B").stack_bytes, 65536u);
  EXPECT_EQ(with("OMP_STACKSIZE", "2 m").stack_bytes, 2u << 20);
  EXPECT_EQ(with("OMP_STACKSIZE", "1G").stack_bytes, size_t(1) << 30);
  EXPECT_EQ(with("KMP_STACKSIZE", "65536").stack_bytes, 65536u) << "bytes";
  EXPECT_EQ(with("KMP_STACKSIZE", "1t").stack_bytes, size_t(1) << 40);
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(with("OMP_STACKSIZE", "1B").stack_bytes, 16384u);
  expect_one_complaint("OMP_STACKSIZE");
  for (const char* value : {"big", "k", "-1k", "1kk", "9999999999999T"}) {
    EXPECT_EQ(with("OMP_STACKSIZE", value).stack_bytes, 0u) << value;
    expect_one_complaint("OMP_STACKSIZE");
  }
}

TEST_F(IcvEnvironment, Levels) {
  EXPECT_EQ(with("OMP_MAX_ACTIVE_LEVELS", "3").initial.max_active_levels, 3u);
  EXPECT_EQ(with("OMP_MAX_ACTIVE_LEVELS", "0").initial.max_active_levels, 0u);
  EXPECT_EQ(with("OMP_NESTED", "true").initial.max_active_levels, uint32_t(INT_MAX));
  EXPECT_EQ(with("OMP_NESTED", "false").initial.max_active_levels, 1u);
  setenv("OMP_NESTED", "false", 1);
  EXPECT_EQ(with("OMP_MAX_ACTIVE_LEVELS", "2").initial.max_active_levels, 2u) << "the newer variable decides";
  EXPECT_EQ(complaints, "");
}

TEST_F(IcvEnvironment, OtherVariables) {
  EXPECT_TRUE(with("OMP_DYNAMIC", "TRUE").initial.dynamic);
  EXPECT_EQ(with("OMP_THREAD_LIMIT", "12").thread_limit, 12u);
  EXPECT_EQ(with("OMP_THREAD_LIMIT", "12").initial.thread_limit, 12u);
  EXPECT_EQ(with("OMP_NUM_TEAMS", "5").teams, 5);
  EXPECT_EQ(with("OMP_TEAMS_THREAD_LIMIT", "7").teams_thread_limit, 7);
  EXPECT_EQ(with("OMP_WAIT_POLICY", "Active").wait_policy, WaitPolicy::Active);
  EXPECT_EQ(with("OMP_WAIT_POLICY", "PASSIVE").wait_policy, WaitPolicy::Passive);
  EXPECT_TRUE(with("OMP_CANCELLATION", "1").cancellation);
  EXPECT_EQ(with("OMP_MAX_TASK_PRIORITY", "9").max_task_priority, 9u);
  EXPECT_EQ(with("OMP_TARGET_OFFLOAD", "Disabled").target_offload, TargetOffload::Disabled);
  EXPECT_EQ(with("OMP_TARGET_OFFLOAD", "MANDATORY").target_offload, TargetOffload::Mandatory);
  EXPECT_FALSE(with("KMP_ENABLE_TASK_THROTTLING", "0").task_throttling);
  EXPECT_TRUE(with("KMP_ENABLE_TASK_THROTTLING", "1").task_throttling);
  EXPECT_EQ(with("OMP_DEFAULT_DEVICE", "2").initial.default_device, 2);
  EXPECT_EQ(with("KMP_BLOCKTIME", "50").blocktime_ms, 50);
  EXPECT_EQ(with("KMP_BLOCKTIME", "infinite").blocktime_ms, INT_MAX);
  EXPECT_EQ(with("OMP_DISPLAY_ENV", "verbose").display_env, ProgramIcvs::DisplayEnv::Verbose);
  EXPECT_EQ(with("OMP_DISPLAY_ENV", "true").display_env, ProgramIcvs::DisplayEnv::Yes);
  EXPECT_EQ(with("OMP_DISPLAY_ENV", "false").display_env, ProgramIcvs::DisplayEnv::No);
  EXPECT_EQ(complaints, "");
}

TEST_F(IcvEnvironment, LibompsWordsForWaiting) {
  EXPECT_EQ(with("KMP_LIBRARY", "turnaround").wait_policy, WaitPolicy::Active);
  EXPECT_EQ(with("KMP_LIBRARY", "Throughput").wait_policy, WaitPolicy::Default);
  const ProgramIcvs serial = with("KMP_LIBRARY", "serial");
  EXPECT_TRUE(serial.serial_library);
  EXPECT_EQ(serial.initial.max_active_levels, 0u);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  EXPECT_EQ(with("KMP_LIBRARY", "turnaround").wait_policy, WaitPolicy::Active) << "libomp's own variable wins";
  EXPECT_EQ(complaints, "");
}

TEST_F(IcvEnvironment, TimesHaveUnits) {
  const std::pair<const char*, int> times[] = {{"0", 0},
                                               {"7ms", 7},
                                               {"1500us", 1},
                                               {"2s", 2000},
                                               {"3 m", 180'000},
                                               {"1H", 3'600'000},
                                               {"2d", 172'800'000},
                                               {"infinity", INT_MAX},
                                               {"2147483647d", INT_MAX}};
  for (const auto& [text, milliseconds] : times)
    EXPECT_EQ(with("KMP_BLOCKTIME", text).blocktime_ms, milliseconds) << text;
  EXPECT_EQ(complaints, "");
  for (const char* text : {"ms", "1y", "-1", "1.5s", "s1", "1 2", "2147483648"}) {
    EXPECT_EQ(with("KMP_BLOCKTIME", text).blocktime_ms, -1) << text;
    expect_one_complaint("KMP_BLOCKTIME");
  }
}

TEST_F(IcvEnvironment, NamesOfLibompAndLibgompWin) {
  setenv("OMP_THREAD_LIMIT", "12", 1);
  for (const char* name : {"KMP_ALL_THREADS", "KMP_DEVICE_THREAD_LIMIT", "KMP_MAX_THREADS"})
    EXPECT_EQ(with(name, "5").thread_limit, 5u) << name;
  setenv("OMP_STACKSIZE", "100k", 1);
  EXPECT_EQ(with("GOMP_STACKSIZE", "200").stack_bytes, 200u << 10);
  setenv("GOMP_STACKSIZE", "200", 1);
  EXPECT_EQ(with("KMP_STACKSIZE", "65536").stack_bytes, 65536u);
  EXPECT_EQ(complaints, "");
}

TEST_F(IcvEnvironment, LibompsSwitches) {
  EXPECT_TRUE(with("KMP_SETTINGS", "1").show_settings);
  EXPECT_FALSE(with("KMP_SETTINGS", "0").show_settings);
  EXPECT_TRUE(with("KMP_VERSION", "true").show_version);
  EXPECT_FALSE(with("KMP_WARNINGS", "off").warnings);
  EXPECT_EQ(with("KMP_TEAMS_THREAD_LIMIT", "9").most_teams, 9);
  EXPECT_EQ(complaints, "");
}

TEST_F(IcvEnvironment, HelperThreads) {
  EXPECT_EQ(with("KMP_VERSION", "0").helper_threads, 8u);
  EXPECT_EQ(with("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "3").helper_threads, 3u);
  EXPECT_EQ(with("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "0").helper_threads, 0u);
  unsetenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
  EXPECT_EQ(with("LIBOMP_USE_HIDDEN_HELPER_TASK", "0").helper_threads, 0u);
  EXPECT_EQ(complaints, "");
  unsetenv("LIBOMP_USE_HIDDEN_HELPER_TASK");
  EXPECT_EQ(with("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "300").helper_threads, 256u);
  expect_one_complaint("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
}

TEST_F(IcvEnvironment, DefaultAllocator) {
  EXPECT_EQ(with("OMP_ALLOCATOR", "").allocator, AllocatorSetting{});
  EXPECT_EQ(with("OMP_ALLOCATOR", "omp_high_bw_mem_alloc").allocator.handle, 4u);
  EXPECT_EQ(with("OMP_ALLOCATOR", "omp_const_mem_space").allocator.space, 2u);
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(with("OMP_ALLOCATOR", "111").allocator, AllocatorSetting{});
  EXPECT_EQ(complaints, "OMP: Warning #42: hetmp: OMP_ALLOCATOR=111: neither an allocator nor a memory space; using "
                        "omp_default_mem_alloc\n");
}

TEST_F(IcvEnvironment, LoopBuffersOutOfRange) {
  for (const char* text : {"1", "7", "4096"}) {
    with("KMP_DISP_NUM_BUFFERS", text);
    EXPECT_EQ(complaints, "") << text;
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"0", "too small"}, {"-3", "too small"}, {"4097", "too large"}, {"x", "not a number"}};
  for (const auto& [text, problem] : wrong) {
    with("KMP_DISP_NUM_BUFFERS", text);
    EXPECT_TRUE(
        complaints.starts_with("OMP: Warning #42: hetmp: KMP_DISP_NUM_BUFFERS=" + std::string(text) + ": " + problem))
        << complaints;
    EXPECT_EQ(complaints.find('\n'), complaints.size() - 1);
  }
}

TEST_F(IcvEnvironment, MalformedValuesCostOneLineEach) {
  const std::pair<const char*, const char*> malformed[] = {
      {"OMP_DYNAMIC", "maybe"},
      {"OMP_NESTED", "2"},
      {"OMP_MAX_ACTIVE_LEVELS", "-1"},
      {"OMP_THREAD_LIMIT", "0"},
      {"OMP_WAIT_POLICY", "idle"},
      {"OMP_CANCELLATION", "x"},
      {"OMP_MAX_TASK_PRIORITY", "-"},
      {"OMP_DEFAULT_DEVICE", "a"},
      {"KMP_BLOCKTIME", "soon"},
      {"OMP_DISPLAY_ENV", "loud"},
      {"OMP_NUM_TEAMS", "0"},
      {"OMP_TEAMS_THREAD_LIMIT", "few"},
      {"KMP_ENABLE_TASK_THROTTLING", "2"},
      {"OMP_TARGET_OFFLOAD", "disable"},
      {"KMP_LIBRARY", "fast"},
      {"KMP_ALL_THREADS", "0"},
      {"GOMP_STACKSIZE", "big"},
      {"KMP_TEAMS_THREAD_LIMIT", "-1"},
      {"KMP_SETTINGS", "2"},
      {"KMP_VERSION", "new"},
      {"KMP_WARNINGS", "few"},
      {"LIBOMP_NUM_HIDDEN_HELPER_THREADS", "-1"},
      {"LIBOMP_USE_HIDDEN_HELPER_TASK", "2"},
  };
  for (const auto& [name, value] : malformed) {
    with(name, value);
    expect_one_complaint(name);
  }
}

TEST_F(IcvEnvironment, DisplayHasTheSpecificationsFrame) {
  const std::string text = display_text(standard_settings(with("OMP_NUM_THREADS", "3,2")));
  EXPECT_NE(text.find("OPENMP DISPLAY ENVIRONMENT BEGIN\n"), std::string::npos);
  EXPECT_NE(text.find("OPENMP DISPLAY ENVIRONMENT END\n"), std::string::npos);
  EXPECT_NE(text.find("_OPENMP='201611'\n"), std::string::npos);
  EXPECT_NE(text.find("[host] OMP_NUM_THREADS='3,2'\n"), std::string::npos);
  EXPECT_NE(text.find("[host] OMP_SCHEDULE='STATIC'\n"), std::string::npos);
  EXPECT_EQ(text.find("KMP_BLOCKTIME"), std::string::npos);
  EXPECT_NE(display_text(libomp_settings(with("KMP_BLOCKTIME", "7"))).find("KMP_BLOCKTIME='7'"), std::string::npos);
}

TEST_F(IcvEnvironment, DisplayShowsSizesExactly) {
  EXPECT_NE(display_text(standard_settings(with("OMP_STACKSIZE", "4096"))).find("OMP_STACKSIZE='4M'"),
            std::string::npos);
  EXPECT_NE(display_text(standard_settings(with("OMP_STACKSIZE", "16385b"))).find("OMP_STACKSIZE='16385B'"),
            std::string::npos);
}

} // namespace
