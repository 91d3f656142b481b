#include "runtime/global/coordinator.hpp"

#include "base/check.hpp"
#include "runtime/global/heard_cancellations.hpp"
#include "schedulers/arithmetic/deal.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// For a node that is in a loop that was cancelled.
constexpr schedulers::Assignment nothing_more = [] {
  schedulers::Assignment assignment;
  assignment.last = true;
  return assignment;
}();

std::string named_nodes(NodeSet decided, NodeSet team) {
  if (decided != team || team.size() == 1)
    return (decided.size() == 1 ? "node " : "nodes ") + to_string(decided);
  return "all nodes";
}

} // namespace

Coordinator::Coordinator(const schedulers::DecisionRules& rules, std::vector<uint32_t> cpus_per_node)
    : cpus_per_node_(std::move(cpus_per_node)) {
  HETMP_CHECK(!cpus_per_node_.empty() && cpus_per_node_.size() <= most_nodes);
  follow(rules);
}

/// Where nobody has chosen a schedule, the region's placement says whether several nodes pay. Such loops share nothing
/// with those of a chosen schedule: no thread may be left without work because these are held to one node.
void Coordinator::follow(const schedulers::DecisionRules& rules) {
  rules_ = unsaid_rules_ = rules;
  unsaid_rules_.mode = schedulers::DecisionMode::Speeds;
}

bool Coordinator::is_sound(const Request& request) const {
  const NodeSet program = NodeSet::first_of(uint32_t(cpus_per_node_.size()));
  const uint32_t node = request.from.node;
  if (!program.contains(node))
    return false;
  const auto is_team = [&](NodeSet nodes) {
    return nodes.contains(NodeSet::of(0).with(node)) && program.contains(nodes);
  };
  const auto is_right = [&](const auto& asked) {
    if constexpr (requires { asked.threads; })
      return is_team(asked.nodes) && asked.threads >= asked.nodes.size();
    else if constexpr (requires { asked.nodes; })
      return is_team(asked.nodes);
    else if constexpr (requires { asked.origin; })
      return program.contains(asked.origin);
    else
      return true;
  };
  return std::visit(is_right, request.content);
}

bool Coordinator::handle(const Request& request, std::vector<Answer>& answers, double now_us) {
  now_us_ = now_us;
  if (!is_sound(request))
    return false;
  const auto handle_one = [&](const auto& asked) { return take(request.from, asked, answers); };
  return std::visit(handle_one, request.content);
}

bool Coordinator::take(Asker from, const Request::Barrier& asked, Answers& answers) {
  meetings_.barrier(from, asked, answers);
  return true;
}

bool Coordinator::take(Asker from, const Request::Join& asked, Answers& answers) {
  if (asked.unplaced)
    parallel_regions_[asked.microtask].unplaced = true;
  if (meetings_.join(from, asked, answers))
    forget_team(asked.name.team);
  return true;
}

bool Coordinator::take(Asker from, const Request::OfferCopies& asked, Answers& answers) {
  return gatherings_.offer(from, asked, answers);
}

bool Coordinator::take(Asker from, const Request::TakeCopies& asked, Answers& answers) {
  return gatherings_.take(from, asked, answers);
}

bool Coordinator::take(Asker from, const Request::ReleaseCopies& asked, Answers& answers) {
  return gatherings_.release(from, asked, answers);
}

bool Coordinator::take(Asker from, const Request::AskIdle& asked, Answers& answers) {
  answers.push_back({from, Answer::IdleNodes{meetings_.idle_nodes(asked.team)}});
  return true;
}

bool Coordinator::take(Asker from, const Request::OfferTasks& asked, Answers& answers) {
  return meetings_.offer_tasks(from, asked, answers);
}

bool Coordinator::take(Asker, const Request::ReturnTask& asked, Answers& answers) {
  meetings_.return_task(asked, answers);
  return true;
}

/// What a team's loops left behind when not every node came back for the last, empty answer.
void Coordinator::forget_team(uint64_t team) {
  const auto forget = [team](auto& constructs) {
    constructs.erase(constructs.lower_bound({team, 0}), constructs.upper_bound({team, UINT64_MAX}));
  };
  forget(ordered_);
  forget(cancelled_);
  forget(loops_);
  gatherings_.forget_team(team);
}

bool Coordinator::take(Asker from, const Request::OrderedWait& asked, Answers& answers) {
  Ordered& loop = ordered_[asked.loop];
  loop.waiting.push_back({asked.index, from});
  let_next_pass(loop, answers);
  return true;
}

bool Coordinator::take(Asker, const Request::OrderedPost& asked, Answers& answers) {
  Ordered& loop = ordered_[asked.loop];
  loop.next = asked.next;
  let_next_pass(loop, answers);
  return true;
}

void Coordinator::let_next_pass(Ordered& loop, Answers& answers) {
  std::erase_if(loop.waiting, [&](const auto& waiting) {
    if (waiting.first != loop.next)
      return false;
    answers.push_back({waiting.second, Answer::Go{}});
    return true;
  });
}

Coordinator::Region& Coordinator::region_of(const Request::AskLoop& asked) {
  std::pair<std::string, uint64_t> name{std::string(asked.source), asked.call_site};
  const auto [entry, fresh] = region_by_name_.try_emplace(std::move(name), nullptr);
  if (fresh) {
    entry->second = &regions_.emplace_back();
    perf::RegionRecord& record = entry->second->record;
    record.source = entry->first.first;
    record.address = asked.call_site;
    record.most_probes = rules_.most_probes;
    record.threshold_us = rules_.threshold_us;
    record.mode = rules_.mode == schedulers::DecisionMode::Predict ? "predict" : "threshold";
  }
  return *entry->second;
}

Coordinator::PlacedLoop Coordinator::begin_loop(const Request::AskLoop& asked) {
  PlacedLoop loop;
  schedulers::LoopShape shape;
  shape.trips = asked.trips;
  shape.threads = schedulers::deal_threads(asked.threads, cpus_per_node_, asked.nodes);
  schedulers::LoopHistory* history = &no_history_;
  const schedulers::PolicyDescriptor& policy = schedulers::policy_of(asked.schedule.kind);
  if (policy.learns) {
    loop.region = &region_of(asked);
    const Learners learners{shape.threads, asked.schedule.unsaid};
    history = &loop.region->histories[learners];
    loop.history = history;
    loop.probed_before = history->probed_visits();
    if (policy.decides_together)
      loop.group = &groups_[learners];
    loop.region->record.visits++;
    loop.region->record.policy = policy.name;
    loop.region->record.exchanges = 0;
    loop.region->record.trips = asked.trips;
    if (policy.needs_all_nodes)
      parallel_regions_[asked.microtask].needs_all_nodes = true;
    // What a team shows that already runs without some nodes says nothing about whether they are needed.
    if (asked.nodes == schedulers::nodes_with_threads(schedulers::deal_threads(asked.threads, cpus_per_node_)))
      parallel_regions_[asked.microtask].loops.insert(history);
  }
  loop.rules = asked.schedule.unsaid ? &unsaid_rules_ : &rules_;
  loop.policy = policy.make(asked.schedule, shape, *history, *loop.rules);
  HETMP_CHECK(loop.policy && (loop.region != nullptr) == (loop.history != nullptr));
  loop.tickets.resize(cpus_per_node_.size());
  loop.measured.resize(cpus_per_node_.size());
  return loop;
}

bool Coordinator::take(Asker from, const Request::AskLoop& asked, Answers& answers) {
  if (is_cancelled(asked.name)) {
    answers.push_back({from, Answer::Assigned{nothing_more}});
    return true;
  }
  auto found = loops_.find(asked.name);
  if (found == loops_.end()) {
    if (!schedulers::find_policy(asked.schedule.kind))
      return false;
    found = loops_.emplace(asked.name, begin_loop(asked)).first;
  }
  PlacedLoop& loop = found->second;
  record_exchange(loop, from.node, asked.done);
  loop.tickets[from.node] = from.ticket;
  loop.asking.add(from.node);
  std::vector<schedulers::Reply> replies;
  loop.policy->ask(from.node, asked.done, replies);
  HETMP_CHECK(std::all_of(replies.begin(), replies.end(),
                          [&](const schedulers::Reply& reply) { return reply.node < loop.tickets.size(); }));
  for (const schedulers::Reply& reply : replies) {
    answers.push_back({{reply.node, loop.tickets[reply.node]}, Answer::Assigned{reply.assignment}});
    loop.asking.remove(reply.node);
  }
  forget_if_finished(found);
  return true;
}

bool Coordinator::take(Asker from, const Request::ReportLoop& asked, Answers&) {
  const auto found = loops_.find(asked.name);
  if (found == loops_.end())
    return is_cancelled(asked.name); // which nobody learns from
  record_exchange(found->second, from.node, asked.done);
  found->second.policy->report(from.node, asked.done);
  forget_if_finished(found);
  return true;
}

bool Coordinator::is_cancelled(const ConstructName& loop) const {
  return !cancelled_.empty() && (cancelled_.contains(loop) || cancelled_.contains({loop.team, 0}));
}

/// Nobody is given anything more of them.
void Coordinator::end_loops(const ConstructName& first, const ConstructName& last, Answers& answers) {
  const auto begin = loops_.lower_bound(first), end = loops_.upper_bound(last);
  for (auto named = begin; named != end; ++named)
    for (const uint32_t node : named->second.asking)
      answers.push_back({{node, named->second.tickets[node]}, Answer::Assigned{nothing_more}});
  loops_.erase(begin, end);
}

/// The other nodes hear of it before they are answered about the loop.
bool Coordinator::take(Asker from, const Request::Cancel& asked, Answers& answers) {
  for (const uint32_t node : asked.nodes.without(from.node))
    answers.push_back({{.node = node}, Answer::Cancelled{asked.team, asked.construct}});
  const bool is_region = asked.construct == HeardCancellations::whole_region;
  if (!is_region && asked.loop == 0)
    return true;
  cancelled_.insert({asked.team, asked.loop});
  end_loops({asked.team, asked.loop}, {asked.team, is_region ? UINT64_MAX : asked.loop}, answers);
  return true;
}

void Coordinator::forget_if_finished(Loops::iterator loop) {
  PlacedLoop& visit = loop->second;
  if (!visit.policy->finished())
    return;
  if (visit.group)
    visit.group->visited(*visit.history, visit.history->probed_visits() != visit.probed_before, *visit.rules, now_us_);
  record_decision(loop->second);
  loops_.erase(loop);
}

/// Of a node's measurements the sum on its last measured visit is kept.
void Coordinator::record_exchange(PlacedLoop& loop, uint32_t from, const schedulers::NodeMeasurement& done) {
  HETMP_CHECK(from < loop.measured.size() && loop.measured.size() == cpus_per_node_.size());
  if (!loop.region)
    return;
  loop.region->record.exchanges++;
  if (done.iterations == 0 || done.threads == 0 || done.thread_us <= 0)
    return;
  std::vector<perf::NodeRecord>& nodes = loop.region->record.nodes;
  nodes.resize(cpus_per_node_.size());
  perf::NodeRecord& node = nodes[from];
  if (!loop.measured[from])
    node = perf::NodeRecord{};
  loop.measured[from] = true;
  node.threads = done.threads;
  node.mean_us += done.thread_us / done.threads;
  node.faults += done.faults();
  node.read_misses += done.read_misses;
  node.write_misses += done.write_misses;
  node.write_upgrades += done.write_upgrades;
  node.asked_locks += done.asked_locks;
}

void Coordinator::record_decision(const PlacedLoop& loop) {
  if (!loop.region || !loop.history->decided())
    return;
  const schedulers::Decision& decision = loop.history->decision();
  perf::RegionRecord& record = loop.region->record;
  record.probed_visits = loop.history->probed_visits();
  const std::vector<schedulers::NodeKnowledge>& known = loop.history->nodes();
  record.nodes.resize(cpus_per_node_.size());
  NodeSet team;
  for (uint32_t node = 0; node < record.nodes.size(); ++node) {
    if (node < known.size() && known[node].threads != 0)
      team.add(node);
    record.nodes[node].speed = node < decision.speed.size() ? decision.speed[node] : 0;
    if (node >= known.size())
      continue;
    record.nodes[node].fault_period_us = known[node].fault_period_us();
    record.nodes[node].misses_per_kilo_instruction = known[node].misses_per_kilo_instruction;
  }
  record.fault_period_us = decision.fault_period_us;
  record.decision = named_nodes(decision.nodes, team);
  record.reason = decision.reason;
  record.predicted_us_per_iteration = decision.predicted_us_per_iteration;
}

/// A node that only a negligible part of the region's work would use is not worth its barriers, and loops of which
/// little is known do not keep the region on all nodes if their part is negligible.
NodeSet Coordinator::nodes_needed(uint64_t microtask) const {
  const auto found = parallel_regions_.find(microtask);
  return found == parallel_regions_.end() || found->second.unplaced ? NodeSet::all() : nodes_needed(found->second);
}

PlacedLoops Coordinator::placed_loops(uint64_t microtask) const {
  const auto found = parallel_regions_.find(microtask);
  if (found == parallel_regions_.end() || found->second.loops.empty())
    return PlacedLoops::None;
  const bool is_only_for_others = found->second.unplaced && nodes_needed(found->second) == NodeSet::of(0);
  return is_only_for_others ? PlacedLoops::OnOrigin : PlacedLoops::OnNodes;
}

/// By its loops that are placed.
NodeSet Coordinator::nodes_needed(const ParallelRegion& region) const {
  constexpr double negligible = 0.05;
  if (region.loops.empty())
    return NodeSet::all();
  double work = 0, unsteady = 0;
  std::vector<double> use(cpus_per_node_.size(), 0);
  for (const schedulers::LoopHistory* loop : region.loops) {
    if (!loop->decided() || (region.needs_all_nodes && !loop->is_placed()))
      return NodeSet::all();
    work += loop->work_us();
    if (!loop->steady())
      unsteady += loop->work_us();
    for (uint32_t node = 0; node < use.size(); ++node)
      use[node] += loop->decision().uses(node) ? loop->work_us() : 0;
  }
  if (!(unsteady < negligible * work))
    return NodeSet::all();
  NodeSet needed = NodeSet::of(0);
  for (uint32_t node = 1; node < use.size(); ++node)
    if (use[node] >= negligible * work)
      needed.add(node);
  HETMP_CHECK(needed.contains(0) && needed.size() <= cpus_per_node_.size());
  return needed.size() == cpus_per_node_.size() ? NodeSet::all() : needed;
}

bool Coordinator::take(Asker from, const Request::Lock& asked, Answers& answers) {
  return lock_owners_.lock(from, asked.key, answers);
}

bool Coordinator::take(Asker from, const Request::TryLock& asked, Answers& answers) {
  return lock_owners_.try_lock(from, asked.key, answers);
}

bool Coordinator::take(Asker from, const Request::GiveBackLock& asked, Answers& answers) {
  return lock_owners_.give_back(from, asked.key, asked.again, answers);
}

bool Coordinator::take(Asker from, const Request::KeepLock& asked, Answers& answers) {
  return lock_owners_.keep(from, asked.key, asked.trial, answers);
}

bool Coordinator::take(Asker /*from*/, const Request::ReleaseLock& asked, Answers& answers) {
  lock_owners_.release(asked.key, answers);
  return true;
}

perf::Report Coordinator::report() const {
  perf::Report report;
  report.nodes = uint32_t(cpus_per_node_.size());
  report.tasks = meetings_.tasks();
  for (const Region& region : regions_)
    report.regions.push_back(region.record);
  return report;
}

} // namespace hetmp::runtime
