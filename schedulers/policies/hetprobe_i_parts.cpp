// HetProbe-I: how much a node is given, and where it is taken from. When decisions are made is in
// hetprobe_i.cpp.
#include "schedulers/policies/hetprobe_i.hpp"

#include "schedulers/learning/node_knowledge.hpp"
#include "schedulers/policies/in_node.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hetmp::schedulers {
namespace {

/// A node's share of the probe comes in parts, the first one so many times smaller than all, each as large as
/// those before together: soon something is known of a slow node, and no part binds one that meets an
/// expensive stretch for long.
constexpr uint64_t probe_parts = 8;
constexpr double exchanges_of_a_short_probe = 20; // which is not divided
/// Of the way to the next decision, so that a node has been back when it comes.
constexpr double part_of_the_way = 0.5;
constexpr double fraction_without_reprobe = 0.1;
constexpr double largest_fraction = 0.25;
/// A node that needs so many times longer for an iteration than the others comes too late for the last ones.
constexpr double times_too_late = 2;
/// A sample for a parked node takes at most this much of the time that is left, a small part of the loop, and
/// moves pages that cost at most this much of the loop's time.
constexpr double sample_time = 0.05;
constexpr double sample_faults = 0.0025;
/// A single iteration may cost this much: without any sample nothing would ever be noticed.
constexpr double smallest_sample_faults = 0.01;

uint64_t rounded_down(double value) {
  return value >= 0x1p63 ? uint64_t(1) << 63 : value >= 1 ? static_cast<uint64_t>(value) : 0;
}

} // namespace

void HetProbeI::answer(uint32_t number, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  if (regions_.left() == 0)
    return finish(number, replies);
  if (whole_)
    return hand_out(number, regions_.left(number), State::Working, replies);
  if (!in_use(number) && somebody_else_works(number)) {
    node.state = State::Parked;
    return;
  }
  if (too_late(number))
    return finish(number, replies);
  if (regions_.left(number) == 0)
    take_from_the_slowest(number);
  hand_out(number, part_for(number), State::Working, replies);
}

/// When this is everything that was left, nobody can get more: the node need not ask again.
void HetProbeI::hand_out(uint32_t number, uint64_t count, State next, std::vector<Reply>& replies) {
  Node& node = nodes_[number];
  Reply reply{number, {}};
  Assignment& part = reply.assignment;
  const uint64_t taken = regions_.take(number, count, part);
  const bool ends = regions_.left() == 0 || (whole_ && regions_.left(number) == 0);
  part.last = ends;
  part.measured = !whole_;
  share_in_node(part, rules_.in_node);
  if (part.distribution == Assignment::Distribution::EqualShares) {
    part.distribution = Assignment::Distribution::Chunks;
    part.chunk = chunk_size(taken, node.pace, node.threads, rules_.exchange_us);
  }
  node.state = ends ? (part.measured ? State::Finishing : State::Done) : next;
  replies.push_back(reply);
  if (node.state == State::Done && --working_ == 0)
    conclude();
}

void HetProbeI::finish(uint32_t number, std::vector<Reply>& replies) {
  Reply reply{number, {}};
  reply.assignment.last = true;
  nodes_[number].state = State::Done;
  replies.push_back(reply);
  if (--working_ == 0)
    conclude();
}

void HetProbeI::release_parked(std::vector<Reply>& replies) {
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].state == State::Parked)
      finish(i, replies);
}

/// The sums of the whole visit say what speeds would have let all nodes finish together, with the regions in
/// the same order: an irregular loop's next visit begins near there. Where it ended on one node, only what was measured
/// before the first decision tells how several do: alone a node takes no faults.
void HetProbeI::conclude() {
  std::vector<NodeMeasurement> telling, totals;
  bool measured = false;
  const bool alone = decision_.only_node() >= 0;
  for (const Node& node : nodes_) {
    telling.push_back(alone && believable(node.together) ? node.together : node.total);
    totals.push_back(node.total);
    measured = measured || believable(node.total);
  }
  remember_bring_ins();
  if (measured)
    history_.absorb({telling, totals, {}}, rules_);
}

void HetProbeI::remember_bring_ins() { history_.bring_ins() = {distance_, since_sample_}; }

/// A node that has measured little since the last decision keeps what was known of it. Faults that the visits
/// before did not let expect are taken for pages that settle: a node that was dropped for them would never
/// get settled. If they do not settle, the totals of this visit tell the next one.
void HetProbeI::refresh_knowledge() {
  for (Node& node : nodes_) {
    if (!believable(node.fresh) ||
        (node.known.measured && node.fresh.iterations < node.threads && node.state != State::Asking))
      continue;
    node.known = knowledge_from(node.fresh);
    node.known.faults_per_iteration = std::min(node.known.faults_per_iteration, node.expected_faults);
    node.known.faults_next_visit = node.known.faults_per_iteration;
    node.fresh = {};
    node.fresh.threads = node.threads;
  }
}

/// Of whole nodes, for a division of what is left.
std::vector<double> HetProbeI::weights() const {
  std::vector<double> result = decision_.weights();
  result.resize(nodes_.size(), 0);
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    result[i] *= works(nodes_[i]) ? nodes_[i].threads : 0;
  return result;
}

/// The first node that can be given more, of those in use if there is one.
uint32_t HetProbeI::usual_node() const {
  uint32_t usual = 0;
  bool found = false;
  for (uint32_t i = nodes_.size(); i-- > 0;)
    if (works(nodes_[i]) && (in_use(i) || !found)) {
      found = found || in_use(i);
      usual = i;
    }
  return usual;
}

bool HetProbeI::in_use(uint32_t node) const { return decision_.uses(node); }

/// Whether the node can be given more.
bool HetProbeI::works(const Node& node) const { return node.state != State::Done && node.state != State::Finishing; }

bool HetProbeI::somebody_else_works(uint32_t node) const {
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (i != node && works(nodes_[i]) && nodes_[i].state != State::Parked &&
        (in_use(i) || nodes_[i].state != State::Absent))
      return true;
  return false;
}

/// What has been seen of the node, else what its threads would do at the others' mean pace.
double HetProbeI::rate(uint32_t node) const {
  if (nodes_[node].pace.known())
    return nodes_[node].pace.rate();
  double rates = 0;
  double threads = 0;
  for (const Node& other : nodes_)
    if (other.pace.known()) {
      rates += other.pace.rate();
      threads += other.threads;
    }
  return threads > 0 ? rates / threads * nodes_[node].threads : 0;
}

/// Iterations in a microsecond, of the nodes that will do the rest; 0 = not known.
double HetProbeI::working_rate(uint32_t but) const {
  double sum = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (i != but && works(nodes_[i]) && in_use(i))
      sum += rate(i);
  return sum;
}

/// Starting an iteration now would end after the others have done everything without it. By the pace over the
/// whole visit: of late the node, or the others, may have been at an expensive place. And only where the
/// others' threads, at least as many as all that have come too late before, can take all that is left at
/// once, so that a wrong guess costs an iteration.
bool HetProbeI::too_late(uint32_t number) const {
  const NodeMeasurement& mine = nodes_[number].total;
  if (!decided_ || !believable(mine))
    return false;
  double others_us = 0;
  double others_iterations = 0;
  uint64_t others_threads = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (i != number && nodes_[i].state == State::Working && in_use(i)) {
      others_us += nodes_[i].total.thread_us;
      others_iterations += static_cast<double>(nodes_[i].total.iterations);
      others_threads += nodes_[i].threads;
    }
  return regions_.left() <= others_threads && 2 * others_threads >= shape_.total_threads() &&
         mine.thread_us / static_cast<double>(mine.iterations) * others_iterations > times_too_late * others_us;
}

uint64_t HetProbeI::part_for(uint32_t number) const {
  const Node& node = nodes_[number];
  if (!decided_ && !node.probed && !node.probe.empty())
    return probe_part(number);
  const double all = working_rate();
  const double mine = rate(number);
  PartQuestion question;
  question.left = regions_.left();
  question.share = all > 0 ? std::min(1.0, mine / all) : double(node.threads) / std::max(shape_.total_threads(), 1u);
  question.rate = mine;
  question.threads = node.threads;
  question.exchange_us = rules_.exchange_us;
  question.fraction = rules_.reprobe_percent > 0
                          ? std::min(rules_.reprobe_percent / 100 * part_of_the_way, largest_fraction)
                          : fraction_without_reprobe;
  return part_size(question);
}

/// Of the node's region.
uint64_t HetProbeI::left_of_probe(uint32_t number) const {
  const Range probe = nodes_[number].probe;
  uint64_t left = 0;
  for (const Range& range : regions_.region(number).ranges())
    left += Range{std::max(range.begin, probe.begin), std::min(range.end, probe.end)}.size();
  return left;
}

uint64_t HetProbeI::probe_part(uint32_t number) const {
  const Node& node = nodes_[number];
  const uint64_t left = left_of_probe(number);
  const double short_us = exchanges_of_a_short_probe * rules_.exchange_us;
  if (node.pace.known() && static_cast<double>(left) <= short_us * node.pace.rate())
    return std::max<uint64_t>(left, 1);
  const uint64_t first = (node.probe.size() + probe_parts - 1) / probe_parts;
  return std::max<uint64_t>(1, std::min(left, std::max(first, node.probe.size() - left)));
}

uint64_t HetProbeI::sample_for(uint32_t number) const {
  const double all = working_rate();
  const double mine = rate(number);
  if (!(all > 0) || !(mine > 0))
    return 0;
  const double left_us = static_cast<double>(regions_.left()) / all;
  const double trips = static_cast<double>(shape_.trips);
  double size = std::min(sample_time * left_us * mine, sample_iterations * trips);
  const NodeKnowledge& known = nodes_[number].known;
  if (known.faults_per_iteration > 0) {
    double threads = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i)
      threads += works(nodes_[i]) && in_use(i) ? nodes_[i].threads : 0;
    const double loop_us = trips / all * threads;                          // of all threads at work together
    const double faults_us = known.faults_per_iteration * rules_.fault_us; // of an iteration
    size = std::min(size, sample_faults * loop_us / faults_us);
    if (size < 1 && faults_us <= smallest_sample_faults * loop_us)
      size = 1;
  }
  return size >= 1 && size >= mine * rules_.exchange_us ? rounded_down(size) : 0;
}

/// Of the nodes with a region, the one that would need longest for it; a node that is not at work would need
/// for ever.
uint32_t HetProbeI::slowest_but(uint32_t node) const {
  uint32_t slowest = node;
  double longest = -1;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (i == node || regions_.left(i) == 0)
      continue;
    const bool at_work = works(nodes_[i]) && nodes_[i].state != State::Parked && rate(i) > 0;
    const double us =
        at_work ? static_cast<double>(regions_.left(i)) / rate(i) : std::numeric_limits<double>::infinity();
    if (us > longest) {
      longest = us;
      slowest = i;
    }
  }
  return slowest;
}

void HetProbeI::borrow(uint32_t node, uint64_t count) {
  const uint32_t from = slowest_but(node);
  regions_.move_back(from, node, count);
}

/// So much that both then need equally long, and at least one iteration.
void HetProbeI::take_from_the_slowest(uint32_t node) {
  const uint32_t from = slowest_but(node);
  const double left = static_cast<double>(regions_.left(from));
  const bool at_work = works(nodes_[from]) && nodes_[from].state != State::Parked;
  const double mine = rate(node);
  const double its = at_work ? rate(from) : 0;
  const double part = mine + its > 0 ? mine / (mine + its) : 0.5;
  regions_.move_back(from, node, std::max<uint64_t>(1, rounded_down(left * part)));
}

} // namespace hetmp::schedulers
