#include "runtime/global/coordinator.hpp"

#include "schedulers/arithmetic/deal.hpp"
#include "schedulers/policies/placed_static.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

using schedulers::ScheduleKind;

const char* name_of(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::HetProbe:
    return "hetprobe";
  case ScheduleKind::HetProbeI:
    return "hetprobe-i";
  default:
    return "static (placed)";
  }
}

/// Whether a policy learns from what is measured, so that the loop has a record.
bool learns(ScheduleKind kind) {
  return kind == ScheduleKind::HetProbe || kind == ScheduleKind::HetProbeI || kind == ScheduleKind::Static;
}

std::string named_nodes(NodeSet decided, NodeSet team) {
  if (decided != team || team.size() == 1)
    return (decided.size() == 1 ? "node " : "nodes ") + to_string(decided);
  return "all nodes";
}

} // namespace

Coordinator::Coordinator(const schedulers::DecisionRules& rules, std::vector<uint32_t> cpus_per_node)
    : rules_(rules), cpus_per_node_(std::move(cpus_per_node)) {}

bool Coordinator::is_sound(const Request& request) const {
  if (request.payload_length > Request::longest_payload || request.node >= cpus_per_node_.size() ||
      request.nodes == 0 || request.nodes > most_nodes)
    return false;
  switch (request.kind) {
  case Request::Kind::Lock:
  case Request::Kind::TryLock:
  case Request::Kind::Unlock:
    return true;
  default:
    return request.participants.contains(NodeSet::of(0).with(request.node)) &&
           NodeSet::first_of(uint32_t(cpus_per_node_.size())).contains(request.participants) &&
           request.participants.size() == request.nodes && request.threads >= request.nodes;
  }
}

bool Coordinator::handle(const Request& request, std::vector<Answer>& answers) {
  if (!is_sound(request))
    return false;
  switch (request.kind) {
  case Request::Kind::Barrier:
    meetings_.barrier(request, answers);
    return true;
  case Request::Kind::Join:
    join(request, answers);
    return true;
  case Request::Kind::AskLoop:
  case Request::Kind::ReportLoop:
    return loop(request, answers);
  case Request::Kind::OrderedWait:
  case Request::Kind::OrderedPost:
    ordered(request, answers);
    return true;
  case Request::Kind::Lock:
  case Request::Kind::TryLock:
  case Request::Kind::Unlock:
    lock(request, answers);
    return true;
  case Request::Kind::OfferCopies:
  case Request::Kind::TakeCopies:
  case Request::Kind::ReleaseCopies:
    return gatherings_.handle(request, answers);
  case Request::Kind::AskIdle:
    answers.push_back(answer_to(request));
    answers.back().word = meetings_.idle_nodes(request.team);
    return true;
  case Request::Kind::OfferTasks:
    return meetings_.offer_tasks(request, answers);
  case Request::Kind::ReturnTask:
    return meetings_.return_task(request, uint32_t(cpus_per_node_.size()), answers);
  }
  return false;
}

void Coordinator::join(const Request& request, std::vector<Answer>& answers) {
  if (request.word != 0)
    parallel_regions_[request.microtask].unplaced = true;
  if (meetings_.join(request, answers))
    forget_team(request.team);
}

/// What a team's loops left behind when not every node came back for the last, empty answer.
void Coordinator::forget_team(uint64_t team) {
  const auto forget = [team](auto& constructs) {
    constructs.erase(constructs.lower_bound({team, 0}), constructs.upper_bound({team, UINT64_MAX}));
  };
  forget(ordered_);
  forget(loops_);
  gatherings_.forget_team(team);
}

void Coordinator::ordered(const Request& request, std::vector<Answer>& answers) {
  Ordered& loop = ordered_[{request.team, request.sequence}];
  if (request.kind == Request::Kind::OrderedWait)
    loop.waiting.push_back({request.word, answer_to(request)});
  else
    loop.next = request.word;
  std::erase_if(loop.waiting, [&](const auto& waiting) {
    if (waiting.first != loop.next)
      return false;
    answers.push_back(waiting.second);
    return true;
  });
}

Coordinator::Region& Coordinator::region_of(const Request& request) {
  std::pair<std::string, uint64_t> name{std::string(request.payload, request.payload_length), request.word};
  const auto [entry, fresh] = region_by_name_.try_emplace(std::move(name), nullptr);
  if (fresh) {
    entry->second = &regions_.emplace_back();
    perf::RegionRecord& record = entry->second->record;
    record.source = entry->first.first;
    record.address = request.word;
    record.most_probes = rules_.most_probes;
    record.threshold_us = rules_.threshold_us;
    record.mode = rules_.mode == schedulers::DecisionMode::Predict ? "predict" : "threshold";
  }
  return *entry->second;
}

Coordinator::PlacedLoop Coordinator::begin_loop(const Request& request) {
  PlacedLoop loop;
  schedulers::LoopShape shape;
  shape.trips = request.trips;
  shape.threads = schedulers::deal_threads(request.threads, cpus_per_node_, request.participants);
  schedulers::RegionHistory* history = &no_history_;
  if (learns(request.schedule.kind)) {
    loop.region = &region_of(request);
    history = &loop.region->histories[shape.threads];
    loop.history = history;
    loop.region->record.visits++;
    loop.region->record.policy = name_of(request.schedule.kind);
    loop.region->record.exchanges = 0;
    loop.region->record.trips = request.trips;
    // HetProbe-I may need any node at any time: that is what it is chosen for.
    if (request.schedule.kind == ScheduleKind::HetProbeI)
      parallel_regions_[request.microtask].unplaced = true;
    // What a team shows that already runs without some nodes says nothing about whether they are needed.
    if (request.participants ==
        schedulers::nodes_with_threads(schedulers::deal_threads(request.threads, cpus_per_node_)))
      parallel_regions_[request.microtask].loops.insert(history);
  }
  if (request.schedule.kind == ScheduleKind::Static) // nodes ask about static loops only to have them placed
    loop.policy = std::make_unique<schedulers::PlacedStatic>(shape, *history, rules_);
  else
    loop.policy = schedulers::make_policy(request.schedule, shape, *history, rules_);
  loop.tickets.resize(cpus_per_node_.size());
  loop.measured.resize(cpus_per_node_.size());
  return loop;
}

bool Coordinator::loop(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  auto found = loops_.find(name);
  if (found == loops_.end()) {
    if (request.kind == Request::Kind::ReportLoop)
      return false;
    found = loops_.emplace(name, begin_loop(request)).first;
  }
  PlacedLoop& loop = found->second;
  if (loop.region)
    loop.region->record.exchanges++;
  record_measurement(loop, request);
  std::vector<schedulers::Reply> replies;
  if (request.kind == Request::Kind::ReportLoop) {
    loop.policy->report(request.node, request.done);
  } else {
    loop.tickets[request.node] = request.ticket;
    loop.policy->ask(request.node, request.done, replies);
  }
  for (const schedulers::Reply& reply : replies) {
    Answer answer;
    answer.node = reply.node;
    answer.ticket = loop.tickets[reply.node];
    answer.assignment = reply.assignment;
    answers.push_back(answer);
  }
  if (loop.policy->finished()) {
    record_decision(loop);
    loops_.erase(found);
  }
  return true;
}

/// The sum of what a node has measured on its last measured visit.
void Coordinator::record_measurement(PlacedLoop& loop, const Request& request) {
  const schedulers::NodeMeasurement& done = request.done;
  if (!loop.region || done.iterations == 0 || done.threads == 0 || done.thread_us <= 0)
    return;
  std::vector<perf::NodeRecord>& nodes = loop.region->record.nodes;
  nodes.resize(cpus_per_node_.size());
  perf::NodeRecord& node = nodes[request.node];
  if (!loop.measured[request.node])
    node = perf::NodeRecord{};
  loop.measured[request.node] = true;
  node.threads = done.threads;
  node.mean_us += done.thread_us / done.threads;
  node.faults += done.faults();
  node.read_misses += done.read_misses;
  node.write_misses += done.write_misses;
  node.write_upgrades += done.write_upgrades;
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
  record.decision = named_nodes(NodeSet::of_bits(decision.nodes), team);
  record.reason = decision.reason;
  record.predicted_us_per_iteration = decision.predicted_us_per_iteration;
}

/// A node that only a negligible part of the region's work would use is not worth its barriers, and loops of which
/// little is known do not keep the region on all nodes if their part is negligible.
NodeSet Coordinator::nodes_needed(uint64_t microtask) const {
  constexpr double negligible = 0.05;
  const auto found = parallel_regions_.find(microtask);
  if (found == parallel_regions_.end() || found->second.unplaced || found->second.loops.empty())
    return NodeSet::all();
  double work = 0, unsteady = 0;
  std::vector<double> use(cpus_per_node_.size(), 0);
  for (const schedulers::RegionHistory* loop : found->second.loops) {
    if (!loop->decided())
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
  return needed.size() == cpus_per_node_.size() ? NodeSet::all() : needed;
}

void Coordinator::lock(const Request& request, std::vector<Answer>& answers) {
  Lock& lock = locks_[request.word];
  Answer answer = answer_to(request);
  switch (request.kind) {
  case Request::Kind::TryLock:
    answer.word = lock.held ? 0 : 1;
    lock.held = true;
    answers.push_back(answer);
    break;
  case Request::Kind::Lock:
    if (lock.held) {
      lock.waiting.push_back(answer);
    } else {
      lock.held = true;
      answers.push_back(answer);
    }
    break;
  default:
    if (lock.waiting.empty()) {
      locks_.erase(request.word);
    } else {
      answers.push_back(lock.waiting.front());
      lock.waiting.pop_front();
    }
  }
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
