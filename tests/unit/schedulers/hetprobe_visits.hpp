// Visits of HetProbe whose nodes ask in an order that the test chooses.
#pragma once

#include "policy_world.hpp"
#include "schedulers/policies/hetprobe.hpp"

namespace hetmp::schedulers {

using Distribution = Assignment::Distribution;

/// A probe as the node would report it: so long for each iteration of a thread, so many faults.
inline NodeMeasurement took(const Assignment& assignment, uint32_t threads, double us, uint64_t faults = 0) {
  NodeMeasurement result;
  result.iterations = assignment.size();
  result.thread_us = us * static_cast<double>(assignment.size());
  result.threads = threads;
  result.span_us = result.thread_us / threads;
  result.write_misses = faults;
  return result;
}

inline std::vector<Range> pieces(const Assignment& assignment) {
  return {assignment.pieces, assignment.pieces + assignment.piece_count};
}

/// One visit. Keeps what they were given. Of what comes after its probe a node tells
/// nothing: its report is empty.
class Visit {
 public:
  Visit(const LoopShape& shape, double percent, LoopHistory& history, const DecisionRules& rules)
      : shape_(shape), policy_(shape, percent, history, rules), latest(shape.nodes()), total(shape.nodes()) {}

  /// The nodes answered, in order.
  std::vector<uint32_t> ask(uint32_t node, const NodeMeasurement& done = {}) {
    std::vector<Reply> replies;
    policy_.ask(node, done, replies);
    std::vector<uint32_t> answered;
    for (const Reply& reply : replies) {
      answered.push_back(reply.node);
      latest[reply.node] = reply.assignment;
      for (const Range& piece : pieces(reply.assignment))
        given.push_back(piece);
      total[reply.node] += reply.assignment.size();
      if (reply.assignment.last && reply.assignment.measured)
        policy_.report(reply.node, {.threads = shape_.threads[reply.node]});
    }
    return answered;
  }
  /// A question that is answered at once.
  const Assignment& get(uint32_t node, const NodeMeasurement& done = {}) {
    EXPECT_EQ(ask(node, done), std::vector<uint32_t>{node});
    return latest[node];
  }
  /// Back from the probe.
  std::vector<uint32_t> report(uint32_t node, double us, uint64_t faults = 0) {
    return ask(node, took(latest[node], shape_.threads[node], us, faults));
  }
  void everybody_comes() {
    for (uint32_t i = 0; i < shape_.nodes(); ++i)
      if (shape_.threads[i] > 0)
        get(i);
  }
  /// Every node asks until it has nothing left: after a probed visit the history has decided.
  void complete() {
    for (uint32_t i = 0; i < shape_.nodes(); ++i)
      while (shape_.threads[i] > 0 && !latest[i].last)
        ask(i);
    expect_done();
  }
  void expect_done() {
    EXPECT_TRUE(policy_.finished());
    expect_tiles(given, {0, shape_.trips});
  }
  bool finished() const { return policy_.finished(); }

 private:
  LoopShape shape_;
  HetProbePolicy policy_;

 public:
  std::vector<Assignment> latest;
  std::vector<uint64_t> total; ///< iterations that each node was given
  std::vector<Range> given;
};

class HetProbe : public testing::Test {
 protected:
  Visit visit(const LoopShape& shape, double percent = 10) { return Visit(shape, percent, history, rules); }

  /// Runs visits of two nodes until the decision stands.
  void settle(const LoopShape& shape, double us0, double us1, uint64_t faults) {
    for (int i = 0; i < 10 && !history.settled(); ++i) {
      Visit probing = visit(shape);
      probing.everybody_comes();
      probing.report(0, us0, faults);
      probing.report(1, us1, faults);
      probing.complete();
    }
    ASSERT_TRUE(history.settled());
  }

  const LoopShape shape{12000, {4, 8}};
  const LoopShape even{12000, {4, 4}};
  LoopHistory history;
  DecisionRules rules;
};

} // namespace hetmp::schedulers
