#include "schedulers/simulation/optimum.hpp"
#include "schedulers/simulation/scenario.hpp"
#include "schedulers/simulation/visit.hpp"

#include <numeric>

namespace hetmp::simulation {
namespace {

double sum_over(const std::vector<VisitResult>& visits, double VisitResult::*figure) {
  return std::accumulate(visits.begin(), visits.end(), 0.0,
                         [&](double sum, const VisitResult& visit) { return sum + visit.*figure; });
}

schedulers::LoopShape shape_of(const Scenario& scenario) {
  schedulers::LoopShape shape;
  shape.trips = scenario.cost.trips();
  for (const SimulatedNode& node : scenario.nodes)
    shape.threads.push_back(node.threads);
  return shape;
}

} // namespace

double Result::makespan_us() const { return sum_over(visits, &VisitResult::makespan_us); }

double Result::optimum_us() const { return sum_over(visits, &VisitResult::optimum_us); }

uint64_t Result::exchanges() const {
  uint64_t sum = 0;
  for (const VisitResult& visit : visits)
    sum += visit.exchanges;
  return sum;
}

Result simulate(const Scenario& scenario) {
  const schedulers::LoopShape shape = shape_of(scenario);
  schedulers::LoopHistory history;
  std::vector<schedulers::NodeWork> work(scenario.nodes.size());
  DataPlaces data(scenario.faults, scenario.cost.trips(), shape.nodes());
  StandingPlan plan;
  Result result;
  double now = 0;
  for (uint32_t i = 0; i < scenario.visits; ++i) {
    VisitResult visit_result;
    visit_result.optimum_us = optimum_us(scenario, data, now);
    std::unique_ptr<schedulers::LoopPolicy> policy;
    if (plan.repeats == 0)
      policy = scenario.policy(shape, history, scenario.rules);
    Visit visit(scenario, data, work, policy.get(), plan, now);
    result.problem = visit.run(visit_result);
    if (!result.problem.empty())
      return result;
    now += visit_result.makespan_us;
    data.end_visit();
    visit_result.decision = history.decision();
    result.visits.push_back(std::move(visit_result));
  }
  return result;
}

} // namespace hetmp::simulation
