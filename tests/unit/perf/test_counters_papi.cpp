// PAPI with a processor that it knows, on any machine: it is made to believe in one, and the events that it
// then asks the kernel for are answered with software events, instructions with the thread's clock and all
// others with page faults. What PAPI does with threads, event sets and readings is its real work.
#include "plugin_fixture.hpp"

#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <pthread.h>

namespace {

constexpr uint64_t retired_instructions = 0xc0; ///< AMD's and Intel's number of the event

perf_event_attr as_software_event(const perf_event_attr& wanted) {
  perf_event_attr answered = wanted;
  const bool instructions = wanted.type == PERF_TYPE_HARDWARE ? wanted.config == PERF_COUNT_HW_INSTRUCTIONS
                                                              : (wanted.config & 0xff) == retired_instructions;
  answered.type = PERF_TYPE_SOFTWARE;
  answered.config = instructions ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_PAGE_FAULTS;
  answered.exclude_kernel = 0;
  answered.exclude_hv = 0;
  return answered;
}

using SystemCall = long (*)(long, ...);
// Found before there are threads, not at the first call: the C++ library makes system calls while it guards
// such objects.
const SystemCall real_system_call = reinterpret_cast<SystemCall>(dlsym(RTLD_NEXT, "syscall"));

} // namespace

/// Takes the C library's place for the libraries that are loaded later. It passes on six arguments, however
/// many there are: not for sanitizers to see.
extern "C" __attribute__((visibility("default"), no_sanitize("address"), no_sanitize("thread"))) long
syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments)
    argument = va_arg(list, long);
  va_end(list);
  perf_event_attr answered;
  if (number == SYS_perf_event_open) {
    answered = as_software_event(*reinterpret_cast<const perf_event_attr*>(arguments[0]));
    arguments[0] = reinterpret_cast<long>(&answered);
  }
  return real_system_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

namespace hetmp::perf {
namespace {

constexpr const char* processor = "amd64_fam19h_zen3"; // by libpfm's name
constexpr int touched_pages = 400;

void use_processor(const char* events) {
  setenv("LIBPFM_FORCE_PMU", processor, 1);
  use_plugin(events);
}

std::string state_with(const char* events) {
  return in_child([events] {
           use_processor(events);
           return counters_state();
         })
      .result;
}

class CountersOfPapi : public Counters {
 protected:
  void SetUp() override {
    Counters::SetUp();
    if (IsSkipped())
      return;
    const std::string state = state_with(nullptr);
    if (!state.starts_with("PAPI_TOT_INS, "))
      GTEST_SKIP() << "PAPI does not believe in the processor: " << state;
  }
};

struct Work {
  int pages;
  bool started = false;
  CounterReading counted{};
};

void* count_own_work(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  ThreadCounters counters;
  work.started = start_thread_counters(counters);
  const CounterReading before = read_thread_counters(counters);
  touch_new_pages(work.pages);
  const CounterReading after = read_thread_counters(counters);
  work.counted = {after.instructions - before.instructions, after.cache_misses - before.cache_misses};
  stop_thread_counters(counters);
  return nullptr;
}

/// Threads come and go, with as many misses as pages they touch; "right", or what was wrong.
std::string count_in_threads() {
  for (int round = 0; round < 3; ++round) {
    Work works[] = {{10}, {touched_pages}, {10}, {touched_pages}};
    pthread_t ids[std::size(works)];
    for (size_t i = 0; i < std::size(works); ++i)
      pthread_create(&ids[i], nullptr, count_own_work, &works[i]);
    for (const pthread_t id : ids)
      pthread_join(id, nullptr);
    for (const Work& work : works)
      if (!work.started || work.counted.instructions == 0 || !plausible_faults(work.pages, work.counted.cache_misses))
        return std::to_string(work.pages) + " pages: " + std::to_string(work.counted.cache_misses) + " of " +
               std::to_string(work.counted.instructions);
  }
  return "right";
}

TEST_F(CountersOfPapi, CountPresetEventsOfEachThread) {
  const ChildOutcome outcome = in_child([] {
    use_processor("PAPI_L2_DCM");
    return counters_state() + "; " + count_in_threads();
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.said, "");
  EXPECT_EQ(outcome.result, "PAPI_TOT_INS, PAPI_L2_DCM; right");
}

TEST_F(CountersOfPapi, CountNativeEvents) {
  const ChildOutcome outcome = in_child([] {
    use_processor("amd64_fam19h_zen3::RETIRED_BRANCH_INSTRUCTIONS,amd64_fam19h_zen3::RETIRED_INSTRUCTIONS");
    return counters_state() + "; " + count_in_threads();
  });
  EXPECT_EQ(outcome.said, "");
  EXPECT_EQ(outcome.result, "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS, "
                            "amd64_fam19h_zen3::RETIRED_BRANCH_INSTRUCTIONS; right");
}

TEST_F(CountersOfPapi, CountTogetherWithTheKernelsOwn) {
  const ChildOutcome outcome = in_child([] {
    use_processor("perf::PAGE-FAULTS");
    return counters_state() + "; " + count_in_threads();
  });
  EXPECT_EQ(outcome.said, "");
  EXPECT_EQ(outcome.result, "PAPI_TOT_INS, perf::PAGE-FAULTS; right");
}

TEST_F(CountersOfPapi, OfAnUnknownNameAreReplacedByTheDefault) {
  const std::string by_default = state_with(nullptr);
  for (const std::string value : {"PAPI_NO_SUCH", "amd64_fam19h_zen3::NO_SUCH", "PAPI_L2_DCM,PAPI_NO_SUCH"}) {
    const ChildOutcome outcome = in_child([&value] {
      use_processor(value.c_str());
      return counters_state() + "; " + count_in_threads();
    });
    const std::string unknown = value.substr(value.find(',') + 1);
    EXPECT_EQ(outcome.said, "hetmp: HETMP_COUNTERS=" + value + ": " + unknown +
                                " is no event that PAPI knows on this machine; using " + by_default + "\n");
    EXPECT_EQ(outcome.result, by_default + "; right");
  }
}

TEST_F(CountersOfPapi, ThatAreRefusedHaveAWordForIt) {
  const ChildOutcome outcome = in_child([] {
    use_processor(nullptr);
    return refuse_perf_events(EACCES) ? counters_state() : "no filter";
  });
  EXPECT_TRUE(outcome.result.starts_with("the kernel refuses counters (perf_event_paranoid is ")) << outcome.result;
  EXPECT_EQ(outcome.said, "");
}

} // namespace
} // namespace hetmp::perf
