#include "runtime/global/coordinator.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

Answer answer_to(const Request& request) {
  Answer answer;
  answer.node = request.node;
  answer.ticket = request.ticket;
  return answer;
}

bool is_sound(const Request& request) {
  const bool of_a_team = request.kind != Request::Kind::Lock && request.kind != Request::Kind::TryLock &&
                         request.kind != Request::Kind::Unlock;
  return request.nodes >= 1 && request.nodes <= LoopPlan::most_nodes &&
         request.node < (of_a_team ? request.nodes : LoopPlan::most_nodes) &&
         request.source_length <= Request::longest_source;
}

} // namespace

bool Coordinator::handle(const Request& request, std::vector<Answer>& answers) {
  if (!is_sound(request))
    return false;
  switch (request.kind) {
  case Request::Kind::Barrier:
    barrier(request, answers);
    return true;
  case Request::Kind::Join:
    join(request, answers);
    return true;
  case Request::Kind::Fetch:
    fetch(request, answers);
    return true;
  case Request::Kind::OrderedWait:
  case Request::Kind::OrderedPost:
    ordered(request, answers);
    return true;
  case Request::Kind::Plan:
    plan(request, answers);
    return true;
  case Request::Kind::Probe:
    return probe(request, answers);
  case Request::Kind::Lock:
  case Request::Kind::TryLock:
  case Request::Kind::Unlock:
    lock(request, answers);
    return true;
  }
  return false;
}

void Coordinator::barrier(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  Meeting& meeting = meetings_[name];
  meeting.word |= request.word;
  meeting.waiting.push_back(answer_to(request));
  if (++meeting.arrived < request.nodes)
    return;
  for (Answer& answer : meeting.waiting) {
    answer.word = meeting.word;
    answers.push_back(answer);
  }
  meetings_.erase(name);
}

void Coordinator::join(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  Meeting& meeting = meetings_[name];
  if (request.node == 0)
    meeting.waiting.push_back(answer_to(request));
  if (++meeting.arrived < request.nodes)
    return;
  answers.insert(answers.end(), meeting.waiting.begin(), meeting.waiting.end());
  meetings_.erase(name);
  forget_team(request.team);
}

/// What a team's loops left behind when not every node came back for the last, empty answer.
void Coordinator::forget_team(uint64_t team) {
  const auto forget = [team](auto& constructs) {
    constructs.erase(constructs.lower_bound({team, 0}), constructs.upper_bound({team, UINT64_MAX}));
  };
  forget(pools_);
  forget(ordered_);
  forget(probed_loops_);
}

void Coordinator::fetch(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  auto found = pools_.find(name);
  if (found == pools_.end()) {
    const PoolShape& shape = request.shape;
    found = pools_.emplace(name, Pool{{shape.trips, shape.kind, shape.chunk, shape.threads}}).first;
  }
  Answer answer = answer_to(request);
  answer.range = found->second.iterations.take(request.local_threads);
  if (answer.range.empty() && ++found->second.nodes_done == request.nodes)
    pools_.erase(found);
  answers.push_back(answer);
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

size_t Coordinator::region_of(const Request& request) {
  std::pair<std::string, uint64_t> name{std::string(request.source, request.source_length), request.word};
  const auto [entry, fresh] = region_by_name_.try_emplace(std::move(name), regions_.size());
  if (fresh) {
    Region region;
    region.record.source = entry->first.first;
    region.record.address = request.word;
    region.record.most_probes = region.history.most_probes();
    region.record.threshold_us = threshold_us_;
    regions_.push_back(std::move(region));
  }
  return entry->second;
}

LoopPlan Coordinator::plan_from(const schedulers::Decision& decision, uint32_t nodes) {
  LoopPlan plan;
  plan.nodes = nodes;
  plan.action = decision.placement == schedulers::Decision::Placement::AllNodes ? LoopPlan::Action::Split
                                                                                : LoopPlan::Action::OneNode;
  plan.only_node = decision.only_node;
  for (uint32_t node = 0; node < nodes; ++node)
    plan.speed[node] = node < decision.speed.size() ? decision.speed[node] : 1.0;
  return plan;
}

void Coordinator::plan(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  auto found = probed_loops_.find(name);
  if (found == probed_loops_.end()) {
    ProbedLoop loop;
    loop.region = region_of(request);
    Region& region = regions_[loop.region];
    region.record.visits++;
    region.record.trips = request.trips;
    loop.plan.nodes = request.nodes;
    loop.plan.action = LoopPlan::Action::Probe;
    // A decision made for other nodes says nothing about these.
    const bool known = region.history.decision().speed.size() == request.nodes;
    if (!region.history.wants_probe() && known)
      loop.plan = plan_from(region.history.decision(), request.nodes);
    loop.measurements.resize(request.nodes);
    found = probed_loops_.emplace(name, std::move(loop)).first;
  }
  ProbedLoop& loop = found->second;
  Answer answer = answer_to(request);
  answer.plan = loop.plan;
  answers.push_back(answer);
  if (++loop.asked == request.nodes && loop.plan.action != LoopPlan::Action::Probe)
    probed_loops_.erase(found);
}

bool Coordinator::probe(const Request& request, std::vector<Answer>& answers) {
  const ConstructName name{request.team, request.sequence};
  const auto found = probed_loops_.find(name);
  if (found == probed_loops_.end() || request.node >= found->second.measurements.size())
    return false;
  ProbedLoop& loop = found->second;
  loop.measurements[request.node] = {request.report.mean_us, request.report.faults, request.report.iterations,
                                     request.report.threads, request.report.busy_us};
  loop.waiting.push_back(answer_to(request));
  if (++loop.reported < request.nodes)
    return true;
  Region& region = regions_[loop.region];
  const LoopPlan plan = plan_from(region.history.update(loop.measurements, threshold_us_), request.nodes);
  record_decision(region, loop);
  for (Answer& answer : loop.waiting) {
    answer.plan = plan;
    answers.push_back(answer);
  }
  probed_loops_.erase(found);
  return true;
}

void Coordinator::record_decision(Region& region, const ProbedLoop& loop) {
  const schedulers::Decision& decision = region.history.decision();
  perf::RegionRecord& record = region.record;
  record.probed_visits = region.history.probed_visits();
  record.nodes.assign(loop.measurements.size(), {});
  for (uint32_t node = 0; node < loop.measurements.size(); ++node) {
    record.nodes[node].threads = loop.measurements[node].threads;
    record.nodes[node].mean_us = loop.measurements[node].mean_us;
    record.nodes[node].faults = loop.measurements[node].faults;
    record.nodes[node].speed = node < decision.speed.size() ? decision.speed[node] : 0;
    record.nodes[node].fault_period_us = region.history.fault_period_us(node);
  }
  record.fault_period_us = decision.fault_period_us;
  record.decision = decision.placement == schedulers::Decision::Placement::AllNodes
                        ? "all nodes"
                        : "node " + std::to_string(decision.only_node);
  record.reason = decision.reason;
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

perf::Report Coordinator::report(uint32_t nodes) const {
  perf::Report report;
  report.nodes = nodes;
  for (const Region& region : regions_)
    report.regions.push_back(region.record);
  return report;
}

} // namespace hetmp::runtime
