// HetProbe's second half: how the shares reach the nodes, and how their borders move meanwhile.
#include "schedulers/policies/hetprobe.hpp"

#include "schedulers/arithmetic/split.hpp"
#include "schedulers/policies/in_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hetmp::schedulers {
namespace {

constexpr double exchanges_a_part = 100;

/// A part is at most so many times what a node has executed before.
constexpr uint64_t trusted = 2;

/// Answers until a node keeps what it has: by then a part is a hundredth of its share. More would cut shares into ever
/// smaller pieces, of which an answer takes few.
constexpr uint32_t most_parts = 8;

} // namespace

/// What fits into an answer; `last` if that is everything.
void HetProbePolicy::give_share(uint32_t number, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  const bool by_part = by_parts_ && goes_on(number);
  if (by_part && node.state == State::Running) {
    balance(number);
    if (node.share.empty())
      take_over(number);
  }
  IterationSet wanted = by_part ? cut_part(number) : std::exchange(node.share, {});
  Assignment part;
  share_in_node(part, rules_.in_node);
  for (const Range& piece : wanted.ranges())
    if (!part.add(piece))
      break;
  wanted.take_front(part.size());
  node.share.put(wanted);
  node.dealt += part.size();
  ++node.answers;
  part.last = node.share.empty();
  part.measured = measured_;
  part.repeats = part.last ? repeats_ : 0;
  node.state = part.last ? State::Left : State::Running;
  present_ -= part.last ? 1 : 0;
  replies.push_back({number, part});
}

/// What the node does in a hundred exchanges: asking in between then costs a hundredth of it. Infinite if that is not
/// known.
double HetProbePolicy::least_part(uint32_t number) const {
  const NodeMeasurement& whole = nodes_[number].whole;
  const double rate = static_cast<double>(whole.iterations) / whole.thread_us * shape_.threads[number];
  const double least = exchanges_a_part * rules_.exchange_us * rate;
  return least >= 1 ? least : std::numeric_limits<double>::infinity(); // not a number, too
}

/// All of the node's share where half of it would not be worth an exchange.
IterationSet HetProbePolicy::cut_part(uint32_t number) {
  Node& node = nodes_[number];
  const uint64_t left = node.share.size();
  const double least = least_part(number);
  if (!(static_cast<double>(left / 2) >= least))
    return std::exchange(node.share, {});
  const uint64_t trusted_size = std::max(static_cast<uint64_t>(least), trusted * node.whole.iterations);
  uint64_t size = std::min(left / 2, trusted_size);
  if (size > shape_.threads[number])
    size -= size % shape_.threads[number]; // no thread waits for an iteration that another one has more
  return takes_from_end(number) ? node.share.take_back(size) : node.share.take_front(size);
}

/// Whether the borders of the node's share may still move.
bool HetProbePolicy::goes_on(uint32_t number) const {
  const Node& node = nodes_[number];
  return shape_.threads[number] > 0 && node.in_use && node.state != State::Left && node.answers < most_parts;
}

/// So that all nodes that go on finish together what they have been given and have left.
void HetProbePolicy::balance(uint32_t asking) {
  uint64_t rest = 0;
  std::vector<uint64_t> dealt;
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    rest += goes_on(i) ? nodes_[i].share.size() : 0;
    dealt.push_back(goes_on(i) ? nodes_[i].dealt : 0);
  }
  const std::vector<double> pace = paces();
  if (rest > 0 && pace[asking] > 0)
    move_borders(fair_sizes(pace, rest, std::move(dealt)));
}

void HetProbePolicy::take_over(uint32_t asking) {
  uint32_t largest = asking;
  for (uint32_t i = 0; i < shape_.nodes(); ++i)
    if (goes_on(i) && nodes_[i].share.size() > nodes_[largest].share.size())
      largest = i;
  IterationSet& share = nodes_[largest].share;
  if (static_cast<double>(share.size() / 2) >= least_part(asking))
    nodes_[asking].share =
        takes_from_end(largest) ? share.take_front(share.size() / 2) : share.take_back(share.size() / 2);
}

/// Iterations of a thread in a microsecond, since the first division where the node has told of that; 0 for nodes that
/// take no more. Nothing for anybody if that of a node that goes on is not known.
std::vector<double> HetProbePolicy::paces() const {
  std::vector<double> result(nodes_.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (!goes_on(static_cast<uint32_t>(i)))
      continue;
    const NodeMeasurement& shown = node.parts.iterations > 0 ? node.parts : node.whole;
    result[i] = static_cast<double>(shown.iterations) / shown.thread_us;
    if (!(result[i] > 0 && std::isfinite(result[i])))
      return std::vector<double>(nodes_.size(), 0);
  }
  return result;
}

/// Gives the share of each node that goes on the size that is told; they add up to what these shares have together.
void HetProbePolicy::move_borders(const std::vector<uint64_t>& sizes) {
  IterationSet moving;
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    if (!goes_on(i))
      continue;
    IterationSet& share = nodes_[i].share;
    const uint64_t excess = share.size() - std::min(sizes[i], share.size());
    moving.put(takes_from_end(i) ? share.take_front(excess) : share.take_back(excess));
  }
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    if (!goes_on(i))
      continue;
    IterationSet& share = nodes_[i].share;
    share.put(moving.take_front(sizes[i] - share.size()));
  }
}

} // namespace hetmp::schedulers
