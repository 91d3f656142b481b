// Which of a process's objects call which OpenMP runtime.
#include "runtime/process/other_runtimes.hpp"

#include <gtest/gtest.h>

using namespace hetmp::runtime;

namespace {

constexpr uintptr_t own = 0x1000; // this runtime's address in all that follows

OpenMPObject runtime(const char* path, uintptr_t begin) { return {path, begin, begin + 0x100, true, {}}; }

OpenMPObject user(const char* path, std::vector<EntryReference> references) {
  return {path, 0x9000, 0x9100, false, std::move(references)};
}

const OpenMPObject hetmp = runtime("libhetmp.so", own);
const OpenMPObject gomp = runtime("libgomp.so.1", 0x2000);
const OpenMPObject stubs = runtime("libstubs.so", 0x3000);

TEST(OtherRuntimes, AreNamedWithTheirUsers) {
  const OpenMPObject program = user("program", {{"__kmpc_fork_call", "", own + 8}, {"omp_get_wtime", "", own + 16}});
  const OpenMPObject plugin = user("plugin.so", {{"GOMP_parallel", "", 0x2010}, {"GOMP_barrier", "", 0x2020}});
  EXPECT_EQ(other_runtimes({program, hetmp}, own), std::vector<OtherRuntime>{});
  EXPECT_EQ(other_runtimes({program, hetmp, gomp}, own), (std::vector<OtherRuntime>{{"libgomp.so.1", {}}}));
  EXPECT_EQ(other_runtimes({program, gomp, plugin, hetmp, stubs}, own),
            (std::vector<OtherRuntime>{{"libgomp.so.1", {"plugin.so"}}, {"libstubs.so", {}}}));
}

TEST(OtherRuntimes, WhoCallsOneOnlyIsNotDivided) {
  const OpenMPObject here = user("here", {{"__kmpc_fork_call", "", own}, {"omp_get_wtime", "", own + 0xff}});
  const OpenMPObject there = user("there", {{"GOMP_parallel", "", 0x2000}, {"omp_get_thread_num", "", 0x20ff}});
  const OpenMPObject unknown =
      user("unknown",
           {{"__kmpc_fork_call", "", own}, {"omp_get_wtime", "", 0}, {"omp_mine", "", 0x9010}, {"omp_x", "", 0x2100}});
  EXPECT_EQ(divided_objects({here, there, unknown, hetmp, gomp}, own), std::vector<DividedObject>{});
  const OpenMPObject elsewhere = user("elsewhere", {{"GOMP_parallel", "", 0x2000}, {"omp_get_thread_num", "", 0x3000}});
  EXPECT_EQ(divided_objects({elsewhere, hetmp, gomp, stubs}, own), std::vector<DividedObject>{}) << "not our concern";
}

TEST(OtherRuntimes, WhoCallsTwoIsDivided) {
  const OpenMPObject both = user("both", {{"omp_get_thread_num", "", 0x2010},
                                          {"__kmpc_fork_call", "", own + 1},
                                          {"__kmpc_barrier", "", own + 2},
                                          {"omp_get_wtime", "", 0x3010}});
  const OpenMPObject one = user("one", {{"__kmpc_fork_call", "", own + 1}});
  EXPECT_EQ(divided_objects({one, hetmp, both, gomp, stubs}, own),
            (std::vector<DividedObject>{{"both", "__kmpc_fork_call", "omp_get_thread_num", "libgomp.so.1"}}));
}

TEST(OtherRuntimes, NothingElseIsLoadedHere) {
  EXPECT_TRUE(other_runtimes_in_words().empty());
  testing::internal::CaptureStderr();
  warn_of_divided_objects();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
