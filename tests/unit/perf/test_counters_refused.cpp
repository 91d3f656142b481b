// Counters that the kernel refuses, as in a sandbox, and without PAPI: nothing counts, and there is a word
// for it.
#include "plugin_fixture.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

namespace hetmp::perf {
namespace {

size_t lines_in(const std::string& text) { return size_t(std::count(text.begin(), text.end(), '\n')); }

class RefusedCounters : public Counters {};

TEST_F(RefusedCounters, HaveAWordForIt) {
  const std::pair<int, std::string> table[] = {
      {EACCES, "the kernel refuses counters (perf_event_paranoid is "},
      {EPERM, "the kernel refuses counters (perf_event_paranoid is "},
      {ENOSYS, "this kernel has no perf_event_open"},
      {ENOENT, "this machine has no hardware counters"},
  };
  for (const auto& [error, clause] : table) {
    const ChildOutcome outcome = in_child([error = error] {
      use_plugin(nullptr);
      if (!refuse_perf_events(error))
        return std::string("no filter");
      ThreadCounters counters;
      const bool started = start_thread_counters(counters) || start_thread_counters(counters);
      const CounterReading reading = read_thread_counters(counters);
      stop_thread_counters(counters);
      if (started || counters_available() || reading.instructions || reading.cache_misses)
        return std::string("counts");
      return counters_state();
    });
    EXPECT_TRUE(outcome.result.starts_with(clause)) << outcome.result;
    EXPECT_EQ(outcome.said, "");
  }
}

TEST_F(RefusedCounters, GetOneLineWhenNamed) {
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    return refuse_perf_events(EPERM) ? counters_state() : "no filter";
  });
  EXPECT_TRUE(outcome.result.starts_with("the kernel refuses counters")) << outcome.result;
  EXPECT_EQ(lines_in(outcome.said), 1u) << outcome.said;
  EXPECT_TRUE(outcome.said.starts_with("hetmp: HETMP_COUNTERS=perf::PAGE-FAULTS: perf::PAGE-FAULTS cannot be "
                                       "counted: the kernel refuses counters"))
      << outcome.said;
  EXPECT_TRUE(outcome.said.ends_with("; using CPU time per iteration\n")) << outcome.said;
}

TEST_F(RefusedCounters, OrRefusedLaterStopAtTheThread) {
  const ChildOutcome outcome = in_child([] {
    use_plugin("perf::PAGE-FAULTS");
    if (!counters_available() || !refuse_perf_events(EPERM))
      return std::string("refused");
    ThreadCounters counters;
    return std::string(start_thread_counters(counters) || start_thread_counters(counters) ? "counts" : "refused");
  });
  EXPECT_EQ(outcome.result, "refused");
}

/// Of a build with PAPI and of one without.
std::string why_missing(const std::string& folder) {
  const std::string file = folder + "/libhetmp_papi.so";
  if (plugin_is_built())
    return "there is no " + file + ", which belongs to this build of hetmp: build or install the rest of it";
  return "hetmp was built without PAPI (there is no " + file + ")";
}

TEST(CountersWithoutPlugin, SaySo) {
  const ChildOutcome outcome = in_child([] {
    unsetenv("HETMP_COUNTERS");
    set_counter_settings({"/nonexistent", true});
    ThreadCounters counters;
    const bool started = start_thread_counters(counters);
    return std::string(started ? "started; " : "") + counters_state();
  });
  EXPECT_EQ(outcome.result, why_missing("/nonexistent"));
  EXPECT_EQ(outcome.said, "");
}

TEST(CountersWithoutPlugin, ComplainWhenNamed) {
  const ChildOutcome outcome = in_child([] {
    setenv("HETMP_COUNTERS", "PAPI_L2_DCM", 1);
    set_counter_settings({"/nonexistent", true});
    return counters_state();
  });
  EXPECT_EQ(outcome.said,
            "hetmp: HETMP_COUNTERS=PAPI_L2_DCM: " + why_missing("/nonexistent") + "; using CPU time per iteration\n");
}

TEST(CountersWithoutPlugin, AFileThatIsNoLibraryIsNone) {
  char folder[] = "/tmp/hetmp-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string file = std::string(folder) + "/libhetmp_papi.so";
  close(open(file.c_str(), O_CREAT | O_WRONLY, 0644));
  const ChildOutcome outcome = in_child([&] {
    unsetenv("HETMP_COUNTERS");
    set_counter_settings({folder, true});
    return counters_state();
  });
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(outcome.result.starts_with(file + " cannot be loaded: ")) << outcome.result;
  EXPECT_NE(outcome.result.find("file too short"), std::string::npos) << outcome.result;
}

} // namespace
} // namespace hetmp::perf
