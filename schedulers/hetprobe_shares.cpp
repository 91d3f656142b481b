// HetProbe's second half: how the shares reach the nodes, and how their borders move meanwhile.
#include "schedulers/hetprobe.hpp"

#include "schedulers/in_node.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// Which end of its share a node works from: see HetProbePolicy.
bool takes_from_end(uint32_t node) { return node % 2 == 1; }

} // namespace

/// What fits into an answer; `last` if that is everything.
void HetProbePolicy::give_share(uint32_t number, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  if (by_parts_ && node.state == State::Running)
    balance(number);
  IterationSet wanted = by_parts_ ? cut_part(number) : std::exchange(node.share, {});
  Assignment part;
  share_in_node(part, rules_.in_node);
  for (const Range& piece : wanted.ranges())
    if (!part.add(piece))
      break;
  wanted.take_front(part.size());
  node.share.put(wanted);
  node.in_hand = part.size();
  part.last = node.share.empty();
  part.measured = measured_;
  part.repeats = part.last ? repeats_ : 0;
  node.state = part.last ? State::Left : State::Running;
  present_ -= part.last ? 1 : 0;
  replies.push_back({number, part});
}

/// Half of the node's share, or all of it where half would not be worth an exchange.
IterationSet HetProbePolicy::cut_part(uint32_t number) {
  Node& node = nodes_[number];
  const uint64_t left = node.share.size();
  const uint64_t half = left / 2;
  if (half < batch_size(node, shape_.threads[number]))
    return std::exchange(node.share, {});
  return takes_from_end(number) ? node.share.take_back(half) : node.share.take_front(half);
}

/// So that all nodes finish together, by the pace of each since the visit began.
void HetProbePolicy::balance(uint32_t asking) {
  uint64_t rest = 0;
  for (const Node& node : nodes_)
    rest += node.share.size();
  const std::vector<double> pace = paces();
  if (rest > 0 && pace[asking] > 0)
    move_borders(fair_sizes(pace, rest, left_in_hand(nodes_[asking].whole.span_us)));
}

/// Iterations of a thread in a microsecond; 0 for nodes that take no more. Nothing for anybody if that of a node that goes
/// on is not known.
std::vector<double> HetProbePolicy::paces() const {
  std::vector<double> result(nodes_.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (shape_.threads[i] == 0 || !node.in_use || node.state == State::Left)
      continue;
    result[i] = static_cast<double>(node.whole.iterations) / node.whole.thread_us;
    if (!(result[i] > 0 && std::isfinite(result[i])))
      return std::vector<double>(nodes_.size(), 0);
  }
  return result;
}

/// Of what the nodes that go on have been given, how much they still have to do when the visit is `now_us` old. All began
/// at about the same time; the time that a node has told of until it was given what it has is when that was.
std::vector<uint64_t> HetProbePolicy::left_in_hand(double now_us) const {
  const std::vector<double> pace = paces();
  std::vector<uint64_t> result(nodes_.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!(pace[i] > 0))
      continue;
    const Node& node = nodes_[i];
    const double done = (now_us - node.whole.span_us) * pace[i] * shape_.threads[i];
    const double left = static_cast<double>(node.in_hand) - std::max(0.0, done);
    result[i] = left > 0 ? static_cast<uint64_t>(left) : 0;
  }
  return result;
}

/// Gives each node's share the size that is told; they add up to what all shares have together.
void HetProbePolicy::move_borders(const std::vector<uint64_t>& sizes) {
  IterationSet moving;
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    IterationSet& share = nodes_[i].share;
    const uint64_t excess = share.size() - std::min(sizes[i], share.size());
    moving.put(takes_from_end(i) ? share.take_front(excess) : share.take_back(excess));
  }
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    IterationSet& share = nodes_[i].share;
    share.put(moving.take_front(sizes[i] - share.size()));
  }
}

} // namespace hetmp::schedulers
