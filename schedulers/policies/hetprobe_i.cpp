#include "schedulers/policies/hetprobe_i.hpp"

#include "schedulers/arithmetic/split.hpp"
#include "schedulers/learning/node_knowledge.hpp"
#include "schedulers/learning/probe.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// Where a decision stands that leaves nodes out, the first sample waits for so many times the usual
/// distance.
constexpr double settled_distance = 4;
constexpr double most_loops_between_samples = 64;
/// A node that executes so many times longer between two faults than a fault costs does not lose much by
/// them.
constexpr double hardly_faulting = 4;
/// Iterations of a thread.
constexpr double enough_of_a_sample = 8;

NodeMeasurement nothing_measured(uint32_t threads) {
  NodeMeasurement result;
  result.threads = threads;
  return result;
}

} // namespace

HetProbeI::HetProbeI(const LoopShape& shape, double probe_percent, LoopHistory& history, const DecisionRules& rules)
    : shape_(shape), history_(history), rules_(rules), regions_(shape.nodes(), shape.trips), nodes_(shape.nodes()) {
  const LoopHistory::Visit visit = history_.begin_visit(shape.threads, rules, shape.trips);
  history_.asked_every_time();
  decision_ = history_.decision();
  reprobe_ =
      rules.reprobe_percent > 0 ? static_cast<double>(shape.trips) * std::min(rules.reprobe_percent, 100.0) / 100 : 0;
  distance_ = reprobe_;
  for (uint32_t i = 0; i < shape.nodes(); ++i) {
    Node& node = nodes_[i];
    node.threads = shape.threads[i];
    node.state = node.threads > 0 ? State::Absent : State::Done;
    working_ += node.threads > 0;
    node.pace = NodePace(node.threads);
    node.known.threads = node.threads;
    node.fresh = node.total = node.sample = nothing_measured(node.threads);
    node.expected_faults = std::numeric_limits<double>::infinity();
    if (i < history_.nodes().size() && history_.nodes()[i].measured) {
      node.known = history_.nodes()[i];
      node.pace.assume(node.known.us_per_iteration);
      node.expected_faults = node.known.faults_next_visit;
    }
  }
  whole_ = working_ < 2 || shape.trips / std::max(shape.total_threads(), 1u) < 2;
  if (visit.probe)
    begin_with_probe();
  else
    begin_with_decision();
  divide_at_first(whole_ ? 0 : probe_percent);
}

/// Before the decision all nodes are in use.
void HetProbeI::begin_with_probe() {
  decision_.nodes = {};
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].threads > 0)
      decision_.nodes.add(i);
}

void HetProbeI::begin_with_decision() {
  decided_ = true;
  keep_slow_nodes();
  distance_ = std::max(reprobe_ * settled_distance, history_.bring_ins().distance);
  since_sample_ = history_.bring_ins().since;
}

/// The loop is divided by the decision, and a node's probe is where its own region begins, for every thread as many
/// iterations: what is measured is the placement that is to be decided on. At the beginning of the loop, where HetProbe
/// probes, nodes may fault on data that only one of them would use later.
void HetProbeI::divide_at_first(double percent) {
  regions_.divide(weights(), usual_node(), {0, shape_.trips});
  const uint64_t share = probe_share(shape_.trips, shape_.total_threads(), percent, 0).size();
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (regions_.left(i) == 0)
      continue;
    const Range region = regions_.region(i).ranges().front();
    const uint64_t size = std::min(regions_.left(i), share * nodes_[i].threads);
    nodes_[i].probe =
        takes_from_end(i) ? Range{region.end - size, region.end} : Range{region.begin, region.begin + size};
  }
}

void HetProbeI::ask(uint32_t node, const NodeMeasurement& done, std::vector<Reply>& replies) {
  if (nodes_[node].state != State::Absent) // else it is of visits before, on which the loop was placed
    take_in(node, done);
  if (nodes_[node].state == State::Sampling && --sampling_ == 0)
    samples_back_ = true;
  nodes_[node].state = State::Asking;
  if (regions_.left() > 0 && decision_due() && !bring_in_parked(replies))
    decide_again(replies);
  if (nodes_[node].state == State::Asking) // has not got a sample
    answer(node, replies);
  if (regions_.left() == 0)
    release_parked(replies);
}

void HetProbeI::report(uint32_t node, const NodeMeasurement& done) {
  take_in(node, done);
  nodes_[node].state = State::Done;
  if (--working_ == 0)
    conclude();
}

void HetProbeI::take_in(uint32_t number, const NodeMeasurement& done) {
  Node& node = nodes_[number];
  if (done.iterations == 0)
    return;
  add(node.fresh, done);
  add(node.state == State::Sampling ? node.sample : node.total, done);
  node.pace.learn(done);
  progress_ += static_cast<double>(done.iterations);
  since_sample_ += static_cast<double>(done.iterations);
  node.probed = node.probed || left_of_probe(number) == 0;
}

/// The first decision comes when the nodes with half of the threads have done their shares of the probe and
/// the others have measured some of theirs: a node that faults all the time, or that met the expensive part
/// of the loop, does not keep the others from deciding. Neither does one that is late, once they have got so
/// far that it is time to decide again.
bool HetProbeI::decision_due() const {
  if (whole_ || sampling_ > 0)
    return false;
  if (samples_back_)
    return true;
  if (decided_)
    return reprobe_ > 0 && progress_ >= reprobe_;
  double probe = 0;
  uint32_t probed_threads = 0;
  bool all_measured = true;
  for (const Node& node : nodes_) {
    probe += static_cast<double>(node.probe.size());
    probed_threads += node.probed ? node.threads : 0;
    all_measured = all_measured && (node.threads == 0 || believable(node.fresh));
  }
  return (all_measured && 2 * probed_threads >= shape_.total_threads()) ||
         (reprobe_ > 0 && progress_ >= probe + reprobe_);
}

/// Gives nodes that are not in use a sample, if it is time and worth while, or a larger one where the last one looked
/// good. True: the decision waits until the samples are back.
bool HetProbeI::bring_in_parked(std::vector<Reply>& replies) {
  if (!samples_back_ && since_sample_ < distance_)
    return false;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const bool waits = nodes_[i].state == State::Parked || (nodes_[i].state == State::Asking && !in_use(i));
    const uint64_t size = !waits ? 0 : samples_back_ ? next_sample(nodes_[i]) : sample_for(i);
    if (size == 0)
      continue;
    borrow(i, size);
    hand_out(i, size, State::Sampling, replies);
    ++sampling_;
    ++samples_;
  }
  if (sampling_ == 0)
    return false;
  since_sample_ = 0;
  samples_back_ = false;
  return true;
}

/// A few iterations prove little: the node may have got the harmless ones of a mixed loop. A sample that looks good is
/// followed by one as large as all before, until there are enough; one that does not is the last.
uint64_t HetProbeI::next_sample(const Node& node) const {
  const double enough =
      std::min(enough_of_a_sample * node.threads, std::max(1.0, sample_iterations * static_cast<double>(shape_.trips)));
  if (!believable(node.sample) || static_cast<double>(node.sample.iterations) >= enough)
    return 0;
  return knowledge_from(node.sample).fault_period_us() >= least_period() ? node.sample.iterations : 0;
}

/// The fault period from which a node is of use among several.
double HetProbeI::least_period() const {
  return rules_.mode == DecisionMode::Predict ? hardly_faulting * rules_.fault_us : rules_.threshold_us;
}

void HetProbeI::decide_again(std::vector<Reply>& replies) {
  refresh_knowledge();
  std::vector<NodeKnowledge> known;
  for (const Node& node : nodes_)
    known.push_back(node.known);
  const NodeSet before = decision_.nodes;
  decision_ = decide(known, rules_);
  keep_slow_nodes();
  if (samples_back_)
    judge_samples(before);
  if (!decided_)
    for (Node& node : nodes_)
      node.together = node.total;
  decided_ = true;
  ++decisions_;
  progress_ = 0;
  regions_.divide(weights(), usual_node(), {0, shape_.trips});
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].state == State::Parked && in_use(i) && regions_.left() > 0) {
      nodes_[i].state = State::Asking;
      answer(i, replies);
    }
}

void HetProbeI::judge_samples(NodeSet before) {
  const bool paid = decision_.nodes != before;
  distance_ = paid ? reprobe_ : std::min(2 * distance_, most_loops_between_samples * static_cast<double>(shape_.trips));
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (node.sample.iterations > 0 && in_use(i))
      add(node.total, node.sample);
    node.sample = nothing_measured(node.threads);
  }
  samples_back_ = false;
}

/// Decisions leave out nodes whose part would be negligible. Here a node may be slow because of its place in
/// the loop, and what it gets at a time is small anyway: where several nodes pay, one is left out for its
/// faults only.
void HetProbeI::keep_slow_nodes() {
  if (decision_.only_node() >= 0)
    return;
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (i < decision_.speed.size() && decision_.speed[i] > 0 && nodes_[i].known.fault_period_us() >= least_period())
      decision_.nodes.add(i);
}

} // namespace hetmp::schedulers
