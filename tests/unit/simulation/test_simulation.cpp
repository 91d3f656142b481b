// The simulator against cases worked out by hand, and against policies that break their contract.
#include "schedulers/simulation/optimum.hpp"
#include "schedulers/simulation/scenario.hpp"

#include <gtest/gtest.h>

namespace hetmp::simulation {
namespace {

using schedulers::LoopPolicy;
using schedulers::Range;
using schedulers::Schedule;
using schedulers::ScheduleKind;

PolicyFactory following(const Schedule& schedule) {
  return [schedule](const auto& shape, auto& history, const auto& rules) {
    return schedulers::make_policy(schedule, shape, history, rules);
  };
}

Scenario constant_loop(uint64_t trips, double us_each, std::vector<SimulatedNode> nodes) {
  Scenario scenario;
  scenario.nodes = std::move(nodes);
  scenario.cost = CostProfile(trips, [=](uint64_t) { return us_each; });
  scenario.policy = following({ScheduleKind::Static});
  return scenario;
}

TEST(SpeedTimeline, WorkTakesLongerWhereItIsSlower) {
  const SpeedTimeline speed({{0, 2}, {100, 0.5}});
  EXPECT_DOUBLE_EQ(speed.finish(0, 100), 50);
  EXPECT_DOUBLE_EQ(speed.finish(0, 200), 100);
  EXPECT_DOUBLE_EQ(speed.finish(50, 110), 120);
  EXPECT_DOUBLE_EQ(speed.work(50, 120), 110);
  EXPECT_DOUBLE_EQ(speed.least_from(0), 0.5);
  EXPECT_DOUBLE_EQ(SpeedTimeline().finish(7, 3), 10);
}

TEST(Simulation, OneNode) {
  const Result result = simulate(constant_loop(4, 10, {{2, 1.0}}));
  ASSERT_EQ(result.problem, "");
  // A question, and two iterations of each thread.
  EXPECT_DOUBLE_EQ(result.makespan_us(), 50 + 20);
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[0].busy_us, 40);
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[0].idle_us, 2 * 50);
  EXPECT_EQ(result.exchanges(), 1u);
  EXPECT_NEAR(result.optimum_us(), 20, 1e-6);
}

TEST(Simulation, TwoNodesOfDifferentSpeed) {
  const Result result = simulate(constant_loop(8, 10, {{1, 1.0}, {1, 0.25}}));
  EXPECT_DOUBLE_EQ(result.makespan_us(), 50 + 4 * 40);
  EXPECT_NEAR(result.optimum_us(), 64, 1e-6); // 80 us of work, 1.25 us of it in a microsecond
}

TEST(Simulation, ASpeedThatChangesInTheMiddleOfAnIteration) {
  Scenario scenario = constant_loop(1, 150, {{1, SpeedTimeline({{0, 1}, {100, 0.5}})}});
  scenario.exchange_us = 0;
  EXPECT_DOUBLE_EQ(simulate(scenario).makespan_us(), 100 + 50 / 0.5);
}

TEST(Simulation, DynamicTakesChunkByChunk) {
  Scenario scenario = constant_loop(3, 10, {{1, 1.0}});
  scenario.policy = following({ScheduleKind::Dynamic, 1});
  scenario.chunk_us = 1;
  const Result result = simulate(scenario);
  // Three batches of one iteration and the answer that nothing is left.
  EXPECT_DOUBLE_EQ(result.makespan_us(), 3 * (50 + 1 + 10) + 50);
  EXPECT_EQ(result.exchanges(), 4u);
}

TEST(Simulation, DataSettlesWhereItIsUsed) {
  Scenario scenario = constant_loop(8, 10, {{1, 1.0}, {1, 1.0}});
  scenario.faults.fault_us = 60;
  scenario.faults.own = [](uint64_t) { return 2.0; };
  scenario.visits = 2;
  scenario.exchange_us = 0;
  const Result result = simulate(scenario);
  EXPECT_DOUBLE_EQ(result.visits[0].makespan_us, 4 * (10 + 2 * 60));
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[1].fault_us, 4 * 120);
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[0].faults, 0);
  EXPECT_DOUBLE_EQ(result.visits[1].makespan_us, 40);
}

TEST(Simulation, CommonDataNeverSettlesWhileSeveralNodesWriteIt) {
  Scenario scenario = constant_loop(8, 10, {{1, 1.0}, {1, 1.0}});
  scenario.faults.fault_us = 60;
  scenario.faults.common = [](uint64_t) { return 2.0; };
  scenario.visits = 3;
  const Result result = simulate(scenario);
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[0].faults, 0); // the origin had it all
  EXPECT_DOUBLE_EQ(result.visits[0].nodes[1].faults, 4 * 2);
  EXPECT_DOUBLE_EQ(result.visits[2].nodes[0].faults, 4 * 2 * 0.5);
  EXPECT_DOUBLE_EQ(result.visits[2].nodes[1].faults, 4 * 2 * 0.5);
}

TEST(Optimum, FollowsSpeedsOverTime) {
  const Scenario scenario = constant_loop(2, 100, {{1, SpeedTimeline({{0, 1}, {50, 3}})}});
  const DataPlaces data(scenario.faults, 2, 1);
  EXPECT_NEAR(optimum_us(scenario, data, 0), 50 + 150 / 3.0, 1e-5);
  EXPECT_NEAR(optimum_us(scenario, data, 50), 200 / 3.0, 1e-5);
}

TEST(Optimum, WeighsFaultsAgainstHelp) {
  // Elsewhere an iteration takes twice as long: the origin does 20 of 30 while the other node does 10.
  Scenario scenario = constant_loop(30, 10, {{1, 1.0}, {1, 1.0}});
  scenario.faults.fault_us = 10;
  scenario.faults.own = [](uint64_t) { return 1.0; };
  const DataPlaces data(scenario.faults, 30, 2);
  const double optimum = optimum_us(scenario, data, 0);
  EXPECT_LE(optimum, 200 * (1 + 1e-9));
  EXPECT_GT(optimum, 200 * 0.98);
}

TEST(Optimum, AUselessNodeDoesNotHelp) {
  Scenario scenario = constant_loop(1000, 10, {{1, 1.0}, {1, 1.0}});
  scenario.faults.fault_us = 100;
  scenario.faults.own = [](uint64_t) { return 100.0; };
  const DataPlaces data(scenario.faults, 1000, 2);
  const double optimum = optimum_us(scenario, data, 0);
  EXPECT_LE(optimum, 10000);
  EXPECT_GT(optimum, 10000 * 0.95);
}

TEST(Shapes, HaveTheCostsTheySay) {
  const CostProfile step = make_profile(Shape::Step, 100, 1100, 10, 1);
  EXPECT_NEAR(step.total(), 1100, 1e-9);
  EXPECT_NEAR(step.work(Range{0, 50}), 1000, 1e-9);
  const CostProfile up = make_profile(Shape::RampUp, 101, 101 * 5.5, 10, 1);
  EXPECT_NEAR(up.work(100) / up.work(0), 10, 1e-9);
  const CostProfile bursts = make_profile(Shape::Bursts, 5000, 1e6, 10, 1);
  int dear = 0;
  for (uint64_t i = 0; i < 5000; i += 10)
    dear += bursts.work(i) > 5 * bursts.total() / 5000 / 2;
  EXPECT_GT(dear, 25); // about 50 of 500 blocks
  EXPECT_LT(dear, 100);
}

/// Answers every question with the same thing.
class Stubborn : public LoopPolicy {
 public:
  explicit Stubborn(std::vector<schedulers::Assignment> answers) : answers_(std::move(answers)) {}
  void ask(uint32_t node, const schedulers::NodeMeasurement&, std::vector<schedulers::Reply>& replies) override {
    if (next_ < answers_.size())
      replies.push_back({node, answers_[next_++]});
  }
  bool finished() const override { return true; }

 private:
  std::vector<schedulers::Assignment> answers_;
  size_t next_ = 0;
};

std::string problem_of(const std::vector<Range>& answers, bool end) {
  Scenario scenario = constant_loop(10, 1, {{1, 1.0}});
  scenario.policy = [&](const auto&, auto&, const auto&) {
    std::vector<schedulers::Assignment> all;
    for (const Range& range : answers) {
      all.emplace_back().add(range);
      all.back().last = end && all.size() == answers.size();
    }
    return std::make_unique<Stubborn>(all);
  };
  return simulate(scenario).problem;
}

TEST(Simulation, FindsPoliciesThatBreakTheirContract) {
  EXPECT_EQ(problem_of({{0, 10}}, true), "");
  EXPECT_EQ(problem_of({{0, 6}, {5, 10}}, true), "iteration 5 was handed out twice");
  EXPECT_EQ(problem_of({{0, 9}}, true), "iteration 9 was never handed out");
  EXPECT_EQ(problem_of({{0, 11}}, true), "an iteration that the loop does not have was handed out");
  EXPECT_EQ(problem_of({{0, 10}}, false), "node 0 waits for an answer that never comes");
}

TEST(Simulation, GivesTheSameResultAgain) {
  Scenario scenario = constant_loop(20000, 5, {{3, 1.0}, {5, 0.5}, {2, SpeedTimeline({{0, 1}, {3000, 0.2}})}});
  scenario.visits = 5;
  scenario.faults.own = [](uint64_t i) { return i % 100 == 0 ? 1.0 : 0.0; };
  for (const ScheduleKind kind : {ScheduleKind::HetProbe, ScheduleKind::HetProbeI}) {
    scenario.policy = following({kind});
    const Result one = simulate(scenario);
    const Result other = simulate(scenario);
    ASSERT_EQ(one.problem, "");
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(one.visits[i].makespan_us, other.visits[i].makespan_us);
      EXPECT_EQ(one.visits[i].exchanges, other.visits[i].exchanges);
      EXPECT_EQ(one.visits[i].nodes[1].faults, other.visits[i].nodes[1].faults);
    }
  }
}

TEST(Simulation, RunsTheLargestTeam) {
  Scenario scenario = constant_loop(500000, 400, std::vector<SimulatedNode>(64, {64, 1.0}));
  scenario.visits = 2;
  for (const ScheduleKind kind : {ScheduleKind::Static, ScheduleKind::Dynamic, ScheduleKind::Guided,
                                  ScheduleKind::HetProbe, ScheduleKind::HetProbeI}) {
    scenario.policy = following({kind});
    const Result result = simulate(scenario);
    ASSERT_EQ(result.problem, "");
    for (const VisitResult& visit : result.visits) {
      uint64_t iterations = 0;
      double busy = 0;
      for (const NodeUse& use : visit.nodes) {
        iterations += use.iterations;
        busy += use.busy_us;
        EXPECT_NEAR(use.busy_us + use.fault_us + use.idle_us, 64 * visit.makespan_us, 1e-3);
      }
      EXPECT_EQ(iterations, 500000u);
      EXPECT_NEAR(busy, 500000.0 * 400, 1);
      EXPECT_GE(visit.makespan_us, visit.optimum_us * (1 - 1e-9));
    }
  }
}

} // namespace
} // namespace hetmp::simulation
