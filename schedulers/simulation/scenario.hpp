// What the simulator is given, and what it returns.
//
// A loop runs under a policy on simulated nodes. The policy, its history and the nodes' division of work
// among their threads (schedulers/policies/node_work) are the runtime's own code; time, faults and messages are
// simulated. The same scenario gives the same result on every run.
#pragma once

#include "schedulers/learning/decision.hpp"
#include "schedulers/learning/loop_history.hpp"
#include "schedulers/policies/policy.hpp"
#include "schedulers/simulation/data_places.hpp"
#include "schedulers/simulation/shapes.hpp"
#include "schedulers/simulation/speed.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hetmp::simulation {

struct SimulatedNode {
  uint32_t threads = 1;
  SpeedTimeline speed; ///< of each of its threads; time counts from the beginning of the first visit
};

using PolicyFactory = std::function<std::unique_ptr<schedulers::LoopPolicy>(
    const schedulers::LoopShape&, schedulers::LoopHistory&, const schedulers::DecisionRules&)>;

struct Scenario {
  std::vector<SimulatedNode> nodes; ///< at most most_nodes
  CostProfile cost;
  FaultModel faults;
  double exchange_us = 50; ///< from a node's question to the answer's arrival, half of it each way
  double chunk_us = 0;     ///< what taking a chunk within a node costs a thread
  uint32_t visits = 1;     ///< one after the other, with one LoopHistory
  schedulers::DecisionRules rules;
  PolicyFactory policy; ///< makes the policy of each visit
};

/// Over all threads of a node, in one visit. The three times add up to threads x makespan.
struct NodeUse {
  double busy_us = 0;  ///< executing iterations
  double fault_us = 0; ///< waiting for pages
  double idle_us = 0;  ///< everything else: asking, waiting for others, taking chunks
  double faults = 0;
  uint64_t iterations = 0;
};

struct VisitResult {
  double makespan_us = 0; ///< until the last thread has left the loop
  double optimum_us = 0;  ///< no policy could have been faster; see optimum.hpp
  std::vector<NodeUse> nodes;
  uint64_t exchanges = 0;        ///< questions and reports
  schedulers::Decision decision; ///< of the history, after the visit
};

struct Result {
  std::vector<VisitResult> visits;
  std::string problem; ///< the policy broke its contract: what it did, and the visits before count; empty =
                       ///< it did not

  double makespan_us() const; ///< of all visits
  double optimum_us() const;
  uint64_t exchanges() const;
};

/// Runs the scenario.
Result simulate(const Scenario& scenario);

} // namespace hetmp::simulation
