#include "runtime/affinity/environment.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace hetmp::affinity {
namespace {

class AffinityEnvironment : public testing::Test {
protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  ProgramPlaces read(bool several_nodes = false) {
    testing::internal::CaptureStderr();
    ProgramPlaces result = places_from_environment({0, 1, 2, 5}, several_nodes);
    said_ = testing::internal::GetCapturedStderr();
    return result;
  }

  std::string said_;

private:
  void clear() {
    for (const char* name : {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY"})
      unsetenv(name);
  }
};

TEST_F(AffinityEnvironment, NothingAskedForNothingBound) {
  const ProgramPlaces result = read();
  EXPECT_TRUE(result.places.empty());
  EXPECT_EQ(result.policies, std::vector{ProcBind::False});
  EXPECT_EQ(said_, "");
}

TEST_F(AffinityEnvironment, PlacesAloneBind) {
  setenv("OMP_PLACES", "{0,1},{2}", 1);
  const ProgramPlaces result = read();
  EXPECT_EQ(format_places(result.places), "{0,1},{2}");
  EXPECT_EQ(result.policies, std::vector{ProcBind::Spread});
}

TEST_F(AffinityEnvironment, PoliciesByLevel) {
  setenv("OMP_PLACES", "threads", 1);
  setenv("OMP_PROC_BIND", "spread, close,MASTER", 1);
  const ProgramPlaces result = read();
  EXPECT_EQ(format_places(result.places), "{0},{1},{2},{5}");
  EXPECT_EQ(format_policies(result.policies), "SPREAD,CLOSE,PRIMARY");
}

TEST_F(AffinityEnvironment, FalseKeepsPlacesAndBindsNothing) {
  setenv("OMP_PLACES", "threads(2)", 1);
  setenv("OMP_PROC_BIND", "false", 1);
  const ProgramPlaces result = read();
  EXPECT_EQ(format_places(result.places), "{0},{1}");
  EXPECT_EQ(result.policies, std::vector{ProcBind::False});
}

TEST_F(AffinityEnvironment, TakesLibgompsList) {
  setenv("GOMP_CPU_AFFINITY", "5 0-2:2", 1);
  const ProgramPlaces result = read();
  EXPECT_EQ(format_places(result.places), "{5},{0},{2}");
  EXPECT_EQ(result.policies, std::vector{ProcBind::True});
  setenv("OMP_PLACES", "{1}", 1);
  EXPECT_EQ(format_places(read().places), "{1}") << "the standard's variable wins";
}

TEST_F(AffinityEnvironment, ComplainsOnce) {
  setenv("OMP_PLACES", "{0},{7}", 1);
  EXPECT_EQ(format_places(read().places), "{0}");
  EXPECT_EQ(said_, "hetmp: OMP_PLACES={0},{7}: CPU 7 is not available to this process; using the CPUs that are\n");
  setenv("OMP_PROC_BIND", "close,x", 1);
  EXPECT_EQ(read().policies, std::vector{ProcBind::False});
  EXPECT_NE(said_.find("OMP_PROC_BIND=close,x: neither true, false nor a list"), std::string::npos);
  unsetenv("OMP_PROC_BIND");
  setenv("OMP_PLACES", "{7}", 1);
  const ProgramPlaces none = read();
  EXPECT_TRUE(none.places.empty());
  EXPECT_EQ(none.policies, std::vector{ProcBind::False});
  EXPECT_EQ(said_, "hetmp: OMP_PLACES={7}: CPU 7 is not available to this process; using no places\n");
}

TEST_F(AffinityEnvironment, WithSeveralNodesNothingIsBound) {
  setenv("OMP_PLACES", "{0}", 1);
  EXPECT_TRUE(read(true).places.empty());
  EXPECT_EQ(said_, "hetmp: OMP_PLACES={0}: with several nodes, threads are bound to the CPUs of their node; using that\n");
}

TEST(CpuAffinity, RefusesWhatIsNoList) {
  for (const char* text : {"", "x", "1-", "3-1", "0:2", "0-4:0", "-1", "0-4:2-5", "4096"})
    EXPECT_FALSE(parse_cpu_affinity(text)) << text;
}

TEST(ProcBindText, RefusesWhatIsNoPolicy) {
  for (const char* text : {"close,", "true,close", "far", ",", "close spread"})
    EXPECT_FALSE(parse_proc_bind(text)) << text;
}

} // namespace
} // namespace hetmp::affinity
