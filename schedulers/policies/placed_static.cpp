#include "schedulers/policies/placed_static.hpp"

#include "schedulers/arithmetic/core_speeds.hpp"
#include "schedulers/arithmetic/split.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

/// Part of its fair share that a node gets for a probe although the decision does not use it. As much as a HetProbe
/// loop probes by default.
constexpr double probe_part = 0.1;

} // namespace

PlacedStatic::PlacedStatic(const LoopShape& shape, LoopHistory& history, const DecisionRules& rules)
    : shape_(shape), history_(history), rules_(rules), visit_(history.begin_visit(shape.threads, rules, shape.trips)),
      measurements_(shape.nodes()), earlier_(shape.nodes()),
      members_(static_cast<uint32_t>(
          std::count_if(shape.threads.begin(), shape.threads.end(), [](uint32_t threads) { return threads != 0; }))) {
  const std::vector<double> weight = weights();
  shares_ = split_by_speed({0, shape_.trips}, weight.data(), shape_.threads.data(), shape_.nodes());
}

std::vector<double> PlacedStatic::weights() const {
  std::vector<double> weight(shape_.nodes(), 1.0);
  if (!history_.decided()) {
    const CoreSpeeds given{rules_.speeds};
    for (uint32_t node = 0; node < shape_.nodes(); ++node)
      weight[node] = given[node];
    return weight;
  }
  const Decision& decision = history_.decision();
  weight = decision.weights();
  weight.resize(shape_.nodes(), 0.0);
  if (!visit_.probe)
    return weight;
  for (uint32_t node = 0; node < shape_.nodes(); ++node)
    if (weight[node] == 0 && node < decision.speed.size())
      weight[node] = decision.speed[node] * probe_part;
  return weight;
}

void PlacedStatic::ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) {
  earlier_[node] = done;
  earlier_[node].threads = shape_.threads[node];
  Reply reply;
  reply.node = node;
  reply.assignment.add(shares_[node]);
  reply.assignment.last = true;
  reply.assignment.measured = visit_.probe;
  reply.assignment.repeats = visit_.probe ? 0 : visit_.repeats;
  replies.push_back(reply);
  if (++answered_ == members_ && !visit_.probe)
    history_.hear(earlier_);
}

void PlacedStatic::report(uint32_t node, const NodeMeasurement& done) {
  if (!visit_.probe)
    return;
  measurements_[node] = done;
  if (++reported_ == members_)
    history_.absorb(measurements_, rules_);
}

bool PlacedStatic::finished() const { return answered_ == members_ && (!visit_.probe || reported_ == members_); }

} // namespace hetmp::schedulers
