// Visits of a loop, for tests of what LoopHistory makes of them: a team of four and eight threads on two nodes.
#pragma once

#include "schedulers/learning/loop_history.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace hetmp::schedulers {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline const std::vector<uint32_t> team = {4, 8};

inline NodeMeasurement measured(uint32_t threads, uint64_t iterations, double thread_us, uint64_t faults) {
  NodeMeasurement result;
  result.threads = threads;
  result.iterations = iterations;
  result.thread_us = thread_us;
  result.read_misses = faults;
  return result;
}

/// 100 iterations a thread, which took a thread us0 and us1.
inline std::vector<NodeMeasurement> probe(double us0, uint64_t faults0, double us1, uint64_t faults1) {
  return {measured(4, 400, 4 * us0, faults0), measured(8, 800, 8 * us1, faults1)};
}

inline const std::vector<NodeMeasurement> quiet = probe(1000, 0, 3000, 0);
inline const std::vector<NodeMeasurement> clearly_faulting = probe(1000, 400, 3000, 1200); // a fault every 2.5 us

inline DecisionRules rules(double threshold_us = 100) {
  DecisionRules result;
  result.threshold_us = threshold_us;
  return result;
}

/// Probes once if the history wants to. The visit's answer.
inline LoopHistory::Visit visit(LoopHistory& history, const std::vector<NodeMeasurement>& nodes,
                                const DecisionRules& how = rules(), uint64_t trips = 0) {
  const LoopHistory::Visit result = history.begin_visit(team, how, trips);
  if (result.probe)
    history.absorb(nodes, how);
  return result;
}

inline void settle(LoopHistory& history, const std::vector<NodeMeasurement>& nodes,
                   const DecisionRules& how = rules()) {
  for (int i = 0; i < 20 && !history.settled(); ++i)
    visit(history, nodes, how);
  ASSERT_TRUE(history.settled());
}

} // namespace hetmp::schedulers
