// How close the policies come to the optimum, in simulated time: loops of about a second, 50 us for an
// exchange.
#include "schedulers/simulation/scenario.hpp"

#include <gtest/gtest.h>

namespace hetmp::simulation {
namespace {

using schedulers::Schedule;
using schedulers::ScheduleKind;

constexpr double second_us = 1e6;

struct Cluster {
  uint32_t nodes = 2;
  bool equal = true; ///< otherwise speeds from 0.25 to 1
};

std::vector<SimulatedNode> make_nodes(const Cluster& cluster) {
  constexpr double unequal[] = {1, 0.25, 0.5, 0.9, 0.7};
  const uint32_t threads = cluster.nodes == 64 ? 64 : 16; // up to 4096
  std::vector<SimulatedNode> nodes;
  for (uint32_t i = 0; i < cluster.nodes; ++i)
    nodes.push_back({threads, cluster.equal ? 1.0 : unequal[i % std::size(unequal)]});
  return nodes;
}

Scenario make_scenario(const Cluster& cluster, Shape shape, double contrast = 10, uint64_t seed = 1) {
  Scenario scenario;
  scenario.nodes = make_nodes(cluster);
  double work = 0;
  uint32_t threads = 0;
  for (const SimulatedNode& node : scenario.nodes) {
    work += node.threads * node.speed.at(0) * second_us;
    threads += node.threads;
  }
  scenario.cost = make_profile(shape, threads * 250, work, contrast, seed);
  scenario.exchange_us = scenario.rules.exchange_us = 50;
  scenario.chunk_us = 0.2;
  return scenario;
}

Result run(Scenario scenario, ScheduleKind kind) {
  scenario.policy = [kind](const auto& shape, auto& history, const auto& rules) {
    return schedulers::make_policy(Schedule{kind}, shape, history, rules);
  };
  Result result = simulate(scenario);
  EXPECT_EQ(result.problem, "");
  return result;
}

double over_optimum(const Result& result) { return result.makespan_us() / result.optimum_us(); }

std::string name_of(const Cluster& cluster) {
  return std::to_string(cluster.nodes) + (cluster.equal ? "equal" : "unequal");
}

class OnClusters : public testing::TestWithParam<Cluster> {};

TEST_P(OnClusters, HetProbeIIsNearTheOptimumOnIrregularLoops) {
  for (const NamedShape& named : all_shapes) {
    if (named.shape == Shape::Constant)
      continue;
    SCOPED_TRACE(std::string(named.name));
    const Result result = run(make_scenario(GetParam(), named.shape), ScheduleKind::HetProbeI);
    EXPECT_GE(over_optimum(result), 1.0 - 1e-9);
    EXPECT_LE(over_optimum(result), 1.1);
  }
}

TEST_P(OnClusters, HetProbeIIsNearTheOptimumWhereverTheBurstsAre) {
  for (uint64_t seed = 2; seed < 6; ++seed) {
    const Result result = run(make_scenario(GetParam(), Shape::Bursts, 10, seed), ScheduleKind::HetProbeI);
    EXPECT_LE(over_optimum(result), 1.1) << "seed " << seed;
  }
}

TEST_P(OnClusters, HetProbeIIsNearTheOptimumOnFurtherVisits) {
  for (const Shape shape : {Shape::Step, Shape::Bursts}) {
    Scenario scenario = make_scenario(GetParam(), shape);
    scenario.visits = 4;
    const Result result = run(scenario, ScheduleKind::HetProbeI);
    for (const VisitResult& visit : result.visits)
      EXPECT_LE(visit.makespan_us / visit.optimum_us, 1.1);
  }
}

TEST_P(OnClusters, HetProbeIIsNearTheOptimumWhenSpeedsChange) {
  Scenario scenario = make_scenario(GetParam(), Shape::Constant);
  scenario.nodes[0].speed = SpeedTimeline({{0, 1}, {300000, 0.25}});
  scenario.nodes[1].speed = SpeedTimeline({{0, 0.5}, {500000, 1}});
  EXPECT_LE(over_optimum(run(scenario, ScheduleKind::HetProbeI)), 1.1);
}

TEST_P(OnClusters, OnRegularLoopsBothAreNearTheOptimum) {
  Scenario scenario = make_scenario(GetParam(), Shape::Constant);
  for (const uint32_t visits : {1, 5}) {
    scenario.visits = visits;
    const Result hetprobe = run(scenario, ScheduleKind::HetProbe);
    const Result hetprobe_i = run(scenario, ScheduleKind::HetProbeI);
    EXPECT_LE(over_optimum(hetprobe), 1.05);
    EXPECT_GE(hetprobe.makespan_us() / hetprobe_i.makespan_us(), 0.97);
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, OnClusters,
                         testing::Values(Cluster{2, true}, Cluster{2, false}, Cluster{8, true}, Cluster{8, false},
                                         Cluster{64, true}, Cluster{64, false}),
                         [](const auto& instance) { return name_of(instance.param); });

TEST(Acceptance, HetProbeFindsCoreSpeedRatiosUpToFour) {
  for (const double ratio : {1.0, 1.5, 2.0, 3.0, 4.0}) {
    Scenario scenario = make_scenario({2, true}, Shape::Constant);
    scenario.nodes[1].speed = SpeedTimeline(1 / ratio);
    EXPECT_LE(over_optimum(run(scenario, ScheduleKind::HetProbe)), 1.05) << ratio;
    EXPECT_LE(over_optimum(run(scenario, ScheduleKind::HetProbeI)), 1.05) << ratio;
  }
}

/// A regular loop that faults, on two nodes.
Scenario faulting_loop(double common, double own, double milliseconds) {
  Scenario scenario = make_scenario({2, true}, Shape::Constant);
  scenario.cost = make_profile(Shape::Constant, 16000, 32 * milliseconds * 1000, 1, 1);
  scenario.visits = 20;
  if (common > 0)
    scenario.faults.common = [=](uint64_t) { return common; };
  if (own > 0)
    scenario.faults.own = [=](uint64_t) { return own; };
  return scenario;
}

TEST(Acceptance, HetProbeIIsNotWorseThanHetProbeWhereNodesAreUseless) {
  for (const double milliseconds : {1000.0, 100.0})
    for (const double faults : {30.0, 300.0}) {
      const Scenario scenario = faulting_loop(faults, 0, milliseconds);
      const Result hetprobe = run(scenario, ScheduleKind::HetProbe);
      const Result hetprobe_i = run(scenario, ScheduleKind::HetProbeI);
      EXPECT_GE(hetprobe.makespan_us() / hetprobe_i.makespan_us(), 0.97) << milliseconds << " ms, " << faults;
    }
}

TEST(Acceptance, HetProbeILetsPagesSettle) {
  Scenario scenario = faulting_loop(0, 10, 1000);
  const Result result = run(scenario, ScheduleKind::HetProbeI);
  EXPECT_LE(result.visits.back().makespan_us / (second_us), 1.05);
}

TEST(Acceptance, HetProbeIBringsNodesInWhereTheFaultsEnd) {
  Scenario scenario = make_scenario({2, true}, Shape::Constant);
  const uint64_t half = scenario.cost.trips() / 2;
  scenario.faults.common = [=](uint64_t i) { return i < half ? 100.0 : 0.0; };
  const Result hetprobe = run(scenario, ScheduleKind::HetProbe);
  const Result hetprobe_i = run(scenario, ScheduleKind::HetProbeI);
  EXPECT_GE(hetprobe.makespan_us() / hetprobe_i.makespan_us(), 1.2);
}

} // namespace
} // namespace hetmp::simulation
