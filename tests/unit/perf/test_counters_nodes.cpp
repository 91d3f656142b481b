// Counters in a program of several node processes: every node counts its own threads, and neither PAPI nor
// what it allocates lies in memory that the nodes share.
#include "plugin_fixture.hpp"

#include "base/machine/cpu_list.hpp"
#include "dsm/launch_plan.hpp"
#include "runtime/tool/machine.hpp"

#include <algorithm>
#include <unistd.h>

namespace hetmp::perf {
namespace {

constexpr int nodes = 3;

#ifdef COUNTING_NODE

/// Becomes the program, on several nodes that have one CPU together.
[[noreturn]] void execute_on_nodes() {
  dsm::LaunchPlan plan;
  plan.process = getpid();
  plan.cpus.assign(nodes, {allowed_cpus().front()});
  setenv(name_of(dsm::plan_variable), dsm::format_plan(plan).c_str(), 1);
  setenv("LD_PRELOAD", HETMP_PLUGIN_FOLDER "/libhetmp_dsm.so", 1);
  setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
  execl(COUNTING_NODE, COUNTING_NODE, nullptr);
  _exit(127);
}

TEST_F(Counters, OfNodeProcessesAreTheirOwn) {
  if (!tool::probe_fault_access().usable())
    GTEST_SKIP() << "no node processes here: " << tool::fault_access_remedy;
  const ChildOutcome outcome = in_child([]() -> std::string {
    use_plugin("perf::PAGE-FAULTS");
    if (!counters_available())
      return "skip";
    return "";
  });
  if (outcome.result == "skip")
    GTEST_SKIP() << "no event counts here: " << outcome.said;
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDOUT_FILENO);
    close(said[0]);
    setenv("HETMP_COUNTERS", "perf::PAGE-FAULTS", 1);
    execute_on_nodes();
  }
  close(said[1]);
  const std::string text = read_to_end(said[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), nodes) << text;
  for (int node = 0; node < nodes; ++node)
    EXPECT_NE(text.find("node " + std::to_string(node) + " counts\n"), std::string::npos) << text;
}

#else

TEST(CountersOfNodeProcesses, AreTestedInOtherBuilds) { GTEST_SKIP() << "a preloaded library cannot be instrumented"; }

#endif

} // namespace
} // namespace hetmp::perf
