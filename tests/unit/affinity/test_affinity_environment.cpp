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
    for (const char* name :
         {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_HW_SUBSET", "KMP_TEAMS_PROC_BIND"})
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

TEST_F(AffinityEnvironment, InvalidPlacesAreCores) {
  setenv("OMP_PLACES", "nodes", 1);
  const ProgramPlaces result = read();
  EXPECT_TRUE(result.level == "cores" || result.level == "threads") << result.level; // as the machine tells
  EXPECT_FALSE(result.places.empty());
  EXPECT_EQ(said_,
            "hetmp: OMP_PLACES=nodes: neither threads, cores, ll_caches, numa_domains nor sockets; using cores\n");
}

TEST_F(AffinityEnvironment, AMalformedLevelIsAllOfIt) {
  setenv("OMP_PLACES", "threads(0)", 1);
  const ProgramPlaces result = read();
  EXPECT_EQ(result.level, "threads");
  EXPECT_EQ(format_places(result.places), "{0},{1},{2},{5}");
  EXPECT_EQ(said_, "hetmp: OMP_PLACES=threads(0): expected a number of places; using threads\n");
}

TEST_F(AffinityEnvironment, RemembersTheLevelThatWasNamed) {
  setenv("OMP_PLACES", "threads(2)", 1);
  EXPECT_EQ(read().level, "threads(2)");
  setenv("OMP_PLACES", "{0}", 1);
  EXPECT_EQ(read().level, "");
}

TEST_F(AffinityEnvironment, LibompsTypeWins) {
  setenv("OMP_PLACES", "{0}", 1);
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("KMP_AFFINITY", "explicit,proclist=[5,{0,1}]", 1);
  const ProgramPlaces bound = read();
  EXPECT_EQ(format_places(bound.places), "{5},{0,1}");
  EXPECT_EQ(bound.policies, std::vector{ProcBind::True});
  for (const char* type : {"none", "disabled"}) {
    setenv("KMP_AFFINITY", type, 1);
    EXPECT_FALSE(read().bind()) << type;
  }
  setenv("KMP_AFFINITY", "reset", 1);
  const ProgramPlaces others = read();
  EXPECT_EQ(format_places(others.places), "{0}") << "a modifier alone leaves places to the others";
  EXPECT_EQ(others.policies, std::vector{ProcBind::Close});
  EXPECT_TRUE(others.reset());
  EXPECT_EQ(others.cpus, (std::vector<int>{0, 1, 2, 5}));
}

TEST_F(AffinityEnvironment, CompactAndBalancedHaveTheirPolicies) {
  setenv("KMP_AFFINITY", "nowarnings,granularity=thread,compact", 1);
  const ProgramPlaces compact = read();
  EXPECT_EQ(compact.places.size(), 4u);
  EXPECT_EQ(compact.policies, std::vector{ProcBind::True});
  setenv("KMP_AFFINITY", "nowarnings,balanced", 1);
  EXPECT_EQ(read().policies, std::vector{ProcBind::Close});
  EXPECT_EQ(said_, "");
}

TEST_F(AffinityEnvironment, MalformedLibompValuesSayNothing) {
  setenv("KMP_AFFINITY", "tight", 1);
  EXPECT_FALSE(read().bind());
  EXPECT_EQ(said_, "hetmp: KMP_AFFINITY=tight: it has neither a type nor a modifier \"tight\"; using nothing of it\n");
  setenv("KMP_AFFINITY", "explicit,proclist=[0,7]", 1);
  EXPECT_EQ(format_places(read().places), "{0}");
  EXPECT_EQ(
      said_,
      "hetmp: KMP_AFFINITY=explicit,proclist=[0,7]: CPU 7 is not available to this process; using the CPUs that are\n");
  setenv("KMP_AFFINITY", "nowarnings,explicit,proclist=[0,7]", 1);
  EXPECT_EQ(format_places(read().places), "{0}");
  EXPECT_EQ(said_, "");
  unsetenv("KMP_AFFINITY");
  setenv("KMP_HW_SUBSET", "2x", 1);
  EXPECT_TRUE(read().places.empty());
  EXPECT_EQ(said_, "hetmp: KMP_HW_SUBSET=2x: units are S, N, LL, C and T; using all CPUs\n");
}

TEST_F(AffinityEnvironment, VerboseSaysOneLine) {
  setenv("KMP_AFFINITY", "verbose,explicit,proclist=[1]", 1);
  read();
  EXPECT_EQ(said_, "hetmp: KMP_AFFINITY: CPUs 0-2,5, places {1}, policy TRUE\n");
}

TEST_F(AffinityEnvironment, TeamsOfLeagues) {
  EXPECT_EQ(read().teams_policy, ProcBind::Spread);
  const std::pair<const char*, ProcBind> policies[] = {{"close", ProcBind::Close},
                                                       {"Primary", ProcBind::Primary},
                                                       {"master", ProcBind::Primary},
                                                       {"spread", ProcBind::Spread},
                                                       {"false", ProcBind::False}};
  for (const auto& [text, policy] : policies) {
    setenv("KMP_TEAMS_PROC_BIND", text, 1);
    EXPECT_EQ(read().teams_policy, policy) << text;
    EXPECT_EQ(said_, "");
  }
  setenv("KMP_TEAMS_PROC_BIND", "close,spread", 1);
  EXPECT_EQ(read().teams_policy, ProcBind::Spread);
  EXPECT_EQ(said_,
            "hetmp: KMP_TEAMS_PROC_BIND=close,spread: neither true, false, primary, close nor spread; using spread\n");
}

TEST_F(AffinityEnvironment, SeveralNodesHaveNoPlacesForLibompEither) {
  setenv("KMP_AFFINITY", "compact", 1);
  EXPECT_FALSE(read(true).bind());
  EXPECT_EQ(
      said_,
      "hetmp: KMP_AFFINITY=compact: with several nodes, threads are bound to the CPUs of their node; using that\n");
  setenv("KMP_AFFINITY", "none", 1);
  read(true);
  EXPECT_EQ(said_, "");
  setenv("KMP_HW_SUBSET", "1c", 1);
  EXPECT_EQ(read(true).subset, "");
  EXPECT_EQ(said_,
            "hetmp: KMP_HW_SUBSET=1c: with several nodes, threads are bound to the CPUs of their node; using that\n");
}

TEST_F(AffinityEnvironment, WithSeveralNodesNothingIsBound) {
  setenv("OMP_PLACES", "{0}", 1);
  EXPECT_TRUE(read(true).places.empty());
  EXPECT_EQ(said_,
            "hetmp: OMP_PLACES={0}: with several nodes, threads are bound to the CPUs of their node; using that\n");
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
