#include "schedulers/policies/hetprobe.hpp"

#include "schedulers/arithmetic/split.hpp"
#include "schedulers/learning/probe.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// A batch ahead is to last so many exchanges: fetching it then costs little of it.
constexpr double exchanges_a_batch = 10;
/// Chunks that a thread takes of a batch ahead.
constexpr uint64_t chunks_a_thread = 4;

} // namespace

HetProbePolicy::HetProbePolicy(const LoopShape& shape, double probe_percent, LoopHistory& history,
                               const DecisionRules& rules)
    : shape_(shape), history_(history), rules_(rules), nodes_(shape.nodes()) {
  for (uint32_t threads : shape_.threads)
    present_ += threads > 0 ? 1 : 0;
  const LoopHistory::Visit visit = history_.begin_visit(shape_.threads, rules_, shape_.trips);
  const bool worthwhile = worth_probing(shape_.trips, shape_.total_threads(), probe_percent);
  if (worthwhile)
    place_probes(probe_percent);
  if (worthwhile && visit.probe) {
    measured_ = true;
    probing_ = reporting_ = present_;
    place_regions(after_probe(shape_.trips, shape_.total_threads(), probe_percent));
    if (history_.decided() && history_.decision().only_node() < 0)
      keep_regions();
    return;
  }
  repeats_ = visit.repeats;
  divide_whole_loop(history_.decision().weights());
}

/// Node 0's comes last, right before its region: its share is one range. In the order of nodes, it would begin its
/// region on the page where the last node ends its probe, and both at about the same time.
void HetProbePolicy::place_probes(double percent) {
  const uint32_t team = shape_.total_threads();
  uint32_t first = 0;
  for (uint32_t place = 1; place <= shape_.nodes(); ++place) {
    const uint32_t i = place % shape_.nodes();
    nodes_[i].probe.begin = probe_share(shape_.trips, team, percent, first).begin;
    first += shape_.threads[i];
    nodes_[i].probe.end = probe_share(shape_.trips, team, percent, first).begin;
  }
}

/// By the decision in force, before the first one all nodes alike; a node's probe counts as part of its
/// share.
void HetProbePolicy::place_regions(Range after_probes) {
  const std::vector<double> weights = history_.decision().weights();
  std::vector<uint64_t> in_hand;
  for (const Node& node : nodes_)
    in_hand.push_back(node.probe.size());
  const std::vector<uint64_t> sizes = fair_sizes(weights, after_probes.size(), std::move(in_hand));
  uint64_t begin = after_probes.begin;
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    nodes_[i].region = {begin, begin + sizes[i]};
    nodes_[i].in_use = weights[i] > 0;
    begin += sizes[i];
  }
}

void HetProbePolicy::keep_regions() {
  for (Node& node : nodes_) {
    node.share = IterationSet(node.region);
    node.region = {};
  }
  divided_ = true;
}

/// A node's share is its probe and a range of what comes after the probes, as on a visit that is probed: when
/// visits of both kinds alternate, hardly any page has to move. A probe, or a part of it, that is more than a
/// node's share goes to the others. Every share has to fit into one answer, because that is what repeats;
/// where probes of many idle nodes would make too many pieces of one, shares are contiguous.
void HetProbePolicy::divide_whole_loop(const std::vector<double>& weights) {
  const std::vector<Range> shares =
      split_by_speed({0, shape_.trips}, weights.data(), shape_.threads.data(), shape_.nodes());
  IterationSet rest(Range{0, shape_.trips});
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    const Range probe = nodes_[i].probe;
    nodes_[i].share = rest.take({probe.begin, probe.begin + std::min(probe.size(), shares[i].size())});
  }
  for (uint32_t i = 0; i < shape_.nodes(); ++i)
    nodes_[i].share.put(rest.take_front(shares[i].size() - nodes_[i].share.size()));
  const bool fit = std::all_of(nodes_.begin(), nodes_.end(),
                               [](const Node& node) { return node.share.ranges().size() <= Assignment::most_pieces; });
  for (uint32_t i = 0; !fit && i < shape_.nodes(); ++i)
    nodes_[i].share = IterationSet(shares[i]);
  divided_ = true;
}

void HetProbePolicy::ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) {
  add(nodes_[node].state == State::Coming ? nodes_[node].earlier : nodes_[node].whole, done);
  if (nodes_[node].state == State::Running)
    add(nodes_[node].parts, done);
  if (nodes_[node].state == State::Probing)
    take_probe(node, done, replies);
  if (measured_ && nodes_[node].state == State::Coming)
    give_probe(node, replies);
  else if (divided_)
    give_share(node, replies);
  else
    work_ahead(node, replies);
  if (!measured_ && present_ == 0)
    history_.hear(earlier());
}

std::vector<NodeMeasurement> HetProbePolicy::earlier() const {
  std::vector<NodeMeasurement> result;
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    result.push_back(nodes_[i].earlier);
    result.back().threads = shape_.threads[i];
  }
  return result;
}

void HetProbePolicy::give_probe(uint32_t node, std::vector<Reply>& replies) {
  Assignment probe;
  probe.add(nodes_[node].probe);
  probe.measured = true;
  nodes_[node].state = State::Probing;
  replies.push_back({node, probe});
}

/// The node whose probe is the last is answered by the caller.
void HetProbePolicy::take_probe(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) {
  nodes_[node].measured = done;
  nodes_[node].measured.threads = shape_.threads[node];
  nodes_[node].state = State::Ahead;
  if (--probing_ > 0 || divided_)
    return;
  const Decision decision = history_.preview(probes(), rules_);
  divide_rest(decision.weights());
  by_parts_ = decision.only_node() < 0 && rules_.speeds.empty(); // a user's ratio is kept
  for (uint32_t i = 0; i < shape_.nodes(); ++i)
    if (nodes_[i].state == State::Waiting)
      give_share(i, replies);
}

std::vector<NodeMeasurement> HetProbePolicy::probes() const {
  std::vector<NodeMeasurement> result;
  for (const Node& node : nodes_)
    result.push_back(node.measured);
  return result;
}

void HetProbePolicy::report(uint32_t number, const NodeMeasurement& done) {
  add(nodes_[number].whole, done);
  if (--reporting_ > 0)
    return;
  std::vector<NodeMeasurement> wholes;
  for (Node& node : nodes_) {
    node.whole.threads = node.measured.threads;
    wholes.push_back(node.whole);
  }
  history_.absorb({probes(), wholes, earlier()}, rules_);
}

/// On demand, in small chunks: the node's first thread that finds none asks for more while the others finish
/// theirs, so the threads of a node do not wait for each other between batches.
void HetProbePolicy::work_ahead(uint32_t number, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  node.ahead = 0;
  const bool all_taken =
      std::all_of(nodes_.begin(), nodes_.end(), [](const Node& each) { return each.region.empty(); });
  if (all_taken) {
    give_share(number, replies); // it has none
    return;
  }
  if (!node.in_use) {
    node.state = State::Waiting;
    return;
  }
  const Range batch = cut_batch(node);
  node.ahead = batch.size();
  node.state = State::Ahead;
  Assignment ahead;
  ahead.add(batch);
  ahead.measured = true;
  ahead.distribution = Assignment::Distribution::Chunks;
  ahead.chunk = std::max<uint64_t>(1, batch.size() / (chunks_a_thread * shape_.threads[number]));
  replies.push_back({number, ahead});
}

/// From the front of the node's own region, then from the back of the largest one, where its owner comes
/// last.
Range HetProbePolicy::cut_batch(Node& node) {
  const uint64_t size = batch_size(node, node.measured.threads);
  if (!node.region.empty()) {
    const uint64_t middle = node.region.begin + std::min(size, node.region.size());
    const Range batch{node.region.begin, middle};
    node.region.begin = middle;
    return batch;
  }
  const auto largest = std::max_element(nodes_.begin(), nodes_.end(),
                                        [](const Node& a, const Node& b) { return a.region.size() < b.region.size(); });
  const uint64_t middle = largest->region.end - std::min(size, largest->region.size());
  const Range batch{middle, largest->region.end};
  largest->region.end = middle;
  return batch;
}

/// Long enough to be worth its exchange by the rate of the node's probe, but at most half of that probe: what
/// a node has in hand when the decision comes cannot be given to others. At least an iteration a thread.
uint64_t HetProbePolicy::batch_size(const Node& node, uint32_t threads) const {
  const uint64_t most = std::max<uint64_t>(threads, node.probe.size() / 2);
  const double span_us = node.measured.thread_us / threads;
  const double wanted =
      exchanges_a_batch * rules_.exchange_us * (static_cast<double>(node.measured.iterations) / span_us);
  if (!(wanted < static_cast<double>(most))) // also if the probe's time makes no sense
    return most;
  return std::max<uint64_t>(threads, wanted > 0 ? static_cast<uint64_t>(wanted) : 0);
}

void HetProbePolicy::divide_rest(const std::vector<double>& weights) {
  IterationSet rest;
  std::vector<uint64_t> in_hand;
  for (Node& node : nodes_) {
    rest.put(node.region);
    node.region = {};
    in_hand.push_back(node.ahead);
    node.dealt = node.ahead;
  }
  const std::vector<uint64_t> sizes = fair_sizes(weights, rest.size(), std::move(in_hand));
  for (uint32_t i = 0; i < shape_.nodes(); ++i) {
    nodes_[i].share = rest.take_front(sizes[i]);
    nodes_[i].in_use = weights[i] > 0;
  }
  divided_ = true;
}

/// How much of the rest each node gets, so that all finish together: what a node has in hand is part of the
/// work that is divided and of that node's share. A node that has more in hand than its share gets nothing,
/// and the others divide what remains without it and what it has. Each of these steps takes out at least one
/// node, and never the last one with a share: the shares add up to the rest and all that is in hand, so not
/// all of them are smaller than what is in hand.
std::vector<uint64_t> HetProbePolicy::fair_sizes(const std::vector<double>& weights, uint64_t rest,
                                                 std::vector<uint64_t> in_hand) const {
  std::vector<uint32_t> threads = shape_.threads;
  uint64_t total = std::accumulate(in_hand.begin(), in_hand.end(), rest);
  for (;;) {
    const std::vector<Range> shares = split_by_speed({0, total}, weights.data(), threads.data(), shape_.nodes());
    std::vector<uint64_t> sizes;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (in_hand[i] <= shares[i].size()) {
        sizes.push_back(shares[i].size() - in_hand[i]);
        continue;
      }
      total -= in_hand[i];
      in_hand[i] = threads[i] = 0;
    }
    if (sizes.size() == nodes_.size())
      return sizes;
  }
}

} // namespace hetmp::schedulers
