// Counters with PAPI as it is installed, whatever the machine offers; each test in a process of its own,
// because PAPI is loaded once. A machine that counts nothing at all still has a word for it.
#include "plugin_fixture.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <pthread.h>
#include <vector>

namespace hetmp::perf {
namespace {

constexpr int touched_pages = 500;

uint64_t misses_while_touching(ThreadCounters& counters, int pages) {
  const uint64_t before = read_thread_counters(counters).cache_misses;
  touch_new_pages(pages);
  return read_thread_counters(counters).cache_misses - before;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What the machine counts by default, empty if nothing; learned in a child, so that this process loads
/// nothing.
std::string events_by_default() {
  return in_child([] {
           use_plugin(nullptr);
           return counters_available() ? counters_state() : std::string();
         })
      .result;
}

/// Tests that need an event which really counts.
class SoftwareEvents : public Counters {
 protected:
  void SetUp() override {
    Counters::SetUp();
    if (IsSkipped())
      return;
    const ChildOutcome probe = in_child([] {
      use_plugin("perf::PAGE-FAULTS");
      return std::string(counters_available() && contains(counters_state(), "perf::PAGE-FAULTS") ? "yes" : "");
    });
    if (probe.result.empty() && contains(probe.said, "the kernel refuses"))
      GTEST_SKIP() << probe.said;
  }
};

TEST_F(SoftwareEvents, CountByName) {
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    ThreadCounters counters;
    if (!start_thread_counters(counters) || !start_thread_counters(counters))
      return "not started: " + counters_state();
    const uint64_t faults = misses_while_touching(counters, touched_pages);
    stop_thread_counters(counters);
    return std::to_string(faults);
  });
  ASSERT_EQ(outcome.status, 0) << outcome.said;
  EXPECT_EQ(outcome.said, "");
  EXPECT_TRUE(plausible_faults(touched_pages, strtoull(outcome.result.c_str(), nullptr, 10))) << outcome.result;
}

TEST_F(SoftwareEvents, StandForInstructionsToo) {
  const ChildOutcome outcome = in_child([] {
    use_plugin(" perf::PERF_COUNT_SW_PAGE_FAULTS , perf::TASK-CLOCK ");
    ThreadCounters counters;
    start_thread_counters(counters);
    touch_new_pages(touched_pages);
    const CounterReading reading = read_thread_counters(counters);
    return counters_state() + (misses_per_kilo_instruction(reading) > 0 ? " counted" : " not counted");
  });
  EXPECT_EQ(outcome.result, "perf::TASK-CLOCK, perf::PERF_COUNT_SW_PAGE_FAULTS counted");
  EXPECT_EQ(outcome.said, "");
}

TEST_F(SoftwareEvents, WithoutInstructionsSaySo) {
  if (!events_by_default().empty())
    GTEST_SKIP() << "this machine counts instructions";
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    ThreadCounters counters;
    start_thread_counters(counters);
    touch_new_pages(touched_pages);
    const CounterReading reading = read_thread_counters(counters);
    return counters_state() + "|" + std::to_string(misses_per_kilo_instruction(reading));
  });
  EXPECT_TRUE(contains(outcome.result, "perf::PAGE-FAULTS (instructions not counted: ")) << outcome.result;
  EXPECT_TRUE(contains(outcome.result, "|-1")) << outcome.result;
}

struct PerThread {
  int pages;
  uint64_t counted = 0;
  bool started = false;
};

void* count_own_faults(void* argument) {
  PerThread& mine = *static_cast<PerThread*>(argument);
  ThreadCounters counters;
  mine.started = start_thread_counters(counters);
  mine.counted = misses_while_touching(counters, mine.pages);
  stop_thread_counters(counters);
  return nullptr;
}

TEST_F(SoftwareEvents, AreOfTheirThreadAlone) {
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    std::vector<PerThread> threads = {{10}, {1000}, {10}, {1000}};
    for (int round = 0; round < 3; ++round) { // threads come and go
      std::vector<pthread_t> ids(threads.size());
      for (size_t i = 0; i < threads.size(); ++i)
        pthread_create(&ids[i], nullptr, count_own_faults, &threads[i]);
      for (size_t i = 0; i < threads.size(); ++i)
        pthread_join(ids[i], nullptr);
      for (const PerThread& thread : threads)
        if (!thread.started || !plausible_faults(thread.pages, thread.counted))
          return std::to_string(thread.pages) + " pages, counted " + std::to_string(thread.counted);
    }
    return std::string("right");
  });
  EXPECT_EQ(outcome.result, "right") << outcome.said;
}

TEST_F(SoftwareEvents, EndWithTheProcess) {
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    ThreadCounters counters;
    start_thread_counters(counters);
    return in_child([&counters] {
             ThreadCounters another;
             const bool counts = start_thread_counters(another) || start_thread_counters(counters);
             const uint64_t seen = misses_while_touching(counters, touched_pages);
             return std::string(counts || counters_available() || seen ? "counts" : "nothing");
           })
        .result;
  });
  EXPECT_EQ(outcome.result, "nothing");
}

TEST_F(Counters, OfTheProcessorCountOrSayWhyNot) {
  const ChildOutcome outcome = in_child([] {
    use_plugin(nullptr);
    if (!counters_available())
      return "none: " + counters_state();
    ThreadCounters counters;
    start_thread_counters(counters);
    touch_new_pages(touched_pages);
    const CounterReading reading = read_thread_counters(counters);
    return std::string(reading.instructions > touched_pages ? "counted: " : "not counted: ") + counters_state();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.said, "") << "nobody asked for counters by name";
  EXPECT_TRUE(outcome.result.starts_with("none: this machine") || outcome.result.starts_with("none: the kernel") ||
              outcome.result.starts_with("counted: "))
      << outcome.result;
}

TEST_F(Counters, OfAnUnknownNameGetOneLine) {
  const std::string by_default = events_by_default();
  const std::string substitute = by_default.empty() ? "CPU time per iteration" : by_default;
  const std::pair<std::string, std::string> table[] = {
      {"PAPI_NO_SUCH", "PAPI_NO_SUCH is no event that PAPI knows on this machine"},
      {"nonsense::EVENT", "nonsense::EVENT is no event that PAPI knows on this machine"},
      {"perf::NOTHING,perf::TASK-CLOCK", "perf::NOTHING is no event that PAPI knows on this machine"},
      {"a,b,c", "neither MISSES nor MISSES,INSTRUCTIONS"},
      {",PAPI_TOT_INS", "neither MISSES nor MISSES,INSTRUCTIONS"},
      {"PAPI_L2_TCM,", "neither MISSES nor MISSES,INSTRUCTIONS"},
  };
  for (const auto& [value, problem] : table) {
    const ChildOutcome outcome = in_child([&value = value] {
      use_plugin(value.c_str());
      counters_available();
      return counters_available() ? counters_state() : std::string();
    });
    EXPECT_EQ(outcome.said, "hetmp: HETMP_COUNTERS=" + value + ": " + problem + "; using " + substitute + "\n");
    EXPECT_EQ(outcome.result, by_default);
  }
}

TEST_F(Counters, AreOnlyComplainedAboutWhereWanted) {
  const ChildOutcome outcome = in_child([] {
    setenv("HETMP_COUNTERS", "PAPI_NO_SUCH", 1);
    set_counter_settings({plugin_folder, false});
    return counters_state();
  });
  EXPECT_EQ(outcome.said, "");
  EXPECT_NE(outcome.result, "");
}

TEST(MissesPerKiloInstruction, AreUnknownWithoutInstructions) {
  EXPECT_LT(misses_per_kilo_instruction({0, 5}), 0);
  EXPECT_DOUBLE_EQ(misses_per_kilo_instruction({2000, 5}), 2.5);
  EXPECT_DOUBLE_EQ(misses_per_kilo_instruction({2000, 0}), 0);
}

} // namespace
} // namespace hetmp::perf
