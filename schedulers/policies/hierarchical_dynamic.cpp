#include "schedulers/policies/hierarchical_dynamic.hpp"

#include "schedulers/arithmetic/loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hetmp::schedulers {
namespace {

constexpr double exchanges_per_batch = 10; // then fetching costs a tenth, if nothing hides it
constexpr double much_longer = 4;
constexpr double largest_growth = 16; // a first batch is tiny: doubling alone would take many exchanges
constexpr double remembered = 0.5;

uint64_t saturated_product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

/// Rounded down; at least 1, whatever the number is.
uint64_t to_count(double value) {
  if (!(value >= 1))
    return 1;
  return value >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(value);
}

} // namespace

HierarchicalDynamic::HierarchicalDynamic(const Schedule& schedule, const LoopShape& shape, const DecisionRules& rules)
    : trips_(shape.trips), chunk_(schedule.chunk), guided_(schedule.kind == ScheduleKind::Guided),
      exchange_us_(rules.exchange_us), nodes_(shape.nodes()) {
  for (uint32_t i = 0; i < shape.nodes(); ++i) {
    nodes_[i].threads = shape.threads[i];
    nodes_[i].batch = std::max(1u, shape.threads[i]);
    total_threads_ += shape.threads[i];
    waiting_for_ += shape.threads[i] != 0;
  }
}

void HierarchicalDynamic::ask(uint32_t number, const NodeMeasurement& done, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  if (node.handed != 0)
    learn(node, done.span_us);
  Reply reply;
  reply.node = number;
  Assignment& assignment = reply.assignment;
  assignment.distribution = guided_ ? Assignment::Distribution::Guided : Assignment::Distribution::Chunks;
  assignment.chunk = std::max<uint64_t>(chunk_, 1);
  node.handed = std::min(remaining(), batch_for(node));
  assignment.add({next_, next_ + node.handed});
  next_ += node.handed;
  if (node.handed == 0) {
    assignment.last = true;
    --waiting_for_;
  }
  replies.push_back(reply);
}

uint64_t HierarchicalDynamic::batch_for(const Node& node) const {
  if (guided_)
    return saturated_product(guided_chunk(remaining(), chunk_, total_threads_), node.threads);
  return chunk_ != 0 ? saturated_product(chunk_, node.threads) : adaptive_batch(node);
}

uint64_t HierarchicalDynamic::adaptive_batch(const Node& node) const {
  const double fair = fair_share(node);
  if (node.handed == 0)
    return std::min(node.batch, to_count(std::ceil(fair)));
  const uint64_t at_least = to_count(node.rate() * exchange_us_);
  return std::max(at_least, std::min(node.batch, to_count(fair / 2)));
}

/// By what the node got, not by what it would have got: a batch that the end of the loop made short says
/// nothing about a longer one.
void HierarchicalDynamic::learn(Node& node, double span_us) const {
  if (!(span_us >= 0) || !std::isfinite(span_us))
    return;
  const auto handed = static_cast<double>(node.handed);
  node.iterations = node.iterations * remembered + handed;
  node.span_us = node.span_us * remembered + span_us;
  const double target_us = exchanges_per_batch * exchange_us_;
  if (span_us < target_us) {
    const double growth = span_us > 0 ? target_us / span_us : largest_growth;
    node.batch = std::max(node.batch, to_count(handed * std::clamp(growth, 2.0, largest_growth)));
  } else if (span_us > much_longer * target_us) {
    node.batch = to_count(handed * (target_us / span_us));
  }
}

/// Of what remains. A node whose rate is not known counts as its threads would at the mean rate of the
/// others'.
double HierarchicalDynamic::fair_share(const Node& node) const {
  double known_rate = 0;
  double known_threads = 0;
  for (const Node& other : nodes_)
    if (other.rate() > 0) {
      known_rate += other.rate();
      known_threads += other.threads;
    }
  const double usual = known_threads > 0 ? known_rate / known_threads : 1;
  const double mine = node.rate() > 0 ? node.rate() : usual * node.threads;
  double all = known_rate;
  for (const Node& other : nodes_)
    if (!(other.rate() > 0))
      all += usual * other.threads;
  return all > 0 ? static_cast<double>(remaining()) * (mine / all) : 0;
}

} // namespace hetmp::schedulers
