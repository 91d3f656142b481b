#include "schedulers/simulation/visit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hetmp::simulation {

using schedulers::NodeMeasurement;
using schedulers::NodeWork;
using schedulers::Range;

Visit::Visit(const Scenario& scenario, DataPlaces& data, std::vector<NodeWork>& nodes, schedulers::LoopPolicy* policy,
             StandingPlan& plan, double start_us)
    : scenario_(scenario), data_(data), work_(nodes), policy_(policy), plan_(plan), start_us_(start_us), now_(start_us),
      end_us_(start_us), from_plan_(plan.repeats > 0), nodes_(scenario.nodes.size()),
      executed_(scenario.cost.trips(), false) {}

std::string Visit::run(VisitResult& result) {
  result_ = &result;
  result.nodes.assign(nodes_.size(), NodeUse{});
  if (!from_plan_)
    plan_.assignments.assign(nodes_.size(), {});
  plan_.measured.resize(nodes_.size());
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const uint32_t threads = scenario_.nodes[i].threads;
    work_[i].begin(threads);
    nodes_[i].threads.assign(threads, Thread{});
    nodes_[i].inside = threads;
    for (uint32_t t = 0; t < threads; ++t)
      post({.time_us = start_us_, .node = i, .thread = t});
  }
  while (!queue_.empty() && problem_.empty()) {
    const Event event = queue_.top();
    queue_.pop();
    now_ = event.time_us;
    handle(event);
  }
  result.makespan_us = end_us_ - start_us_;
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    result.nodes[i].idle_us =
        scenario_.nodes[i].threads * result.makespan_us - result.nodes[i].busy_us - result.nodes[i].fault_us;
  if (from_plan_)
    end_planned_visit();
  return problem_.empty() ? check_end() : problem_;
}

void Visit::end_planned_visit() {
  --plan_.repeats;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    NodeMeasurement times = work_[i].collect();
    times.busy_us = -1; // the runtime does not know it either: it only reads a clock
    schedulers::add(plan_.measured[i], times);
  }
}

void Visit::post(Event event) {
  event.number = events_++;
  queue_.push(event);
}

void Visit::handle(const Event& event) {
  switch (event.kind) {
  case Kind::ThreadContinues:
    finish_chunk(event.node, event.thread);
    continue_thread(event.node, event.thread);
    return;
  case Kind::Question:
    replies_.clear();
    policy_->ask(event.node, event.measurement, replies_);
    for (const schedulers::Reply& reply : std::exchange(replies_, {}))
      answer(reply);
    return;
  case Kind::Answer:
    take_answer(event);
    return;
  case Kind::Report:
    policy_->report(event.node, event.measurement);
    return;
  }
}

void Visit::continue_thread(uint32_t node, uint32_t thread) {
  Range chunk;
  switch (work_[node].next(thread, chunk)) {
  case NodeWork::Step::Run:
    start_chunk(node, thread, chunk);
    return;
  case NodeWork::Step::Ask:
    nodes_[node].waiting.push_back(thread);
    if (from_plan_)
      post({.time_us = now_, .kind = Kind::Answer, .node = node, .assignment = plan_.assignments[node]});
    else
      send(Kind::Question, node);
    return;
  case NodeWork::Step::Wait:
    nodes_[node].waiting.push_back(thread);
    return;
  case NodeWork::Step::Report:
    if (!from_plan_)
      send(Kind::Report, node);
    break;
  case NodeWork::Step::Leave:
    break;
  }
  --nodes_[node].inside;
  end_us_ = std::max(end_us_, now_);
}

void Visit::start_chunk(uint32_t node, uint32_t thread, Range chunk) {
  if (chunk.end > executed_.size())
    return complain("an iteration that the loop does not have was handed out");
  for (uint64_t i = chunk.begin; i < chunk.end; ++i) {
    if (executed_[i])
      return complain("iteration " + std::to_string(i) + " was handed out twice");
    executed_[i] = true;
  }
  const double faults = data_.run(node, chunk);
  const double waited = faults * data_.fault_us();
  const double begun = now_ + scenario_.chunk_us;
  const double computed = scenario_.nodes[node].speed.finish(begun, scenario_.cost.work(chunk));
  Thread& mine = nodes_[node].threads[thread];
  mine.chunk = chunk;
  mine.timed = work_[node].measuring() || from_plan_;
  mine.measured = {.elapsed_us = computed - begun + waited, .busy_us = computed - begun};
  NodeUse& use = result_->nodes[node];
  use.busy_us += computed - begun;
  use.fault_us += waited;
  use.faults += faults;
  use.iterations += chunk.size();
  post({.time_us = computed + waited, .node = node, .thread = thread});
}

void Visit::finish_chunk(uint32_t node, uint32_t thread) {
  Thread& mine = nodes_[node].threads[thread];
  if (!mine.chunk.empty() && mine.timed)
    work_[node].account(thread, mine.measured);
  mine.chunk = {};
}

/// Faults are counted in whole ones: what is left of one counts in the next measurement.
void Visit::send(Kind kind, uint32_t node) {
  Node& sender = nodes_[node];
  NodeMeasurement measurement = work_[node].collect();
  if (kind == Kind::Question && !std::exchange(sender.has_asked, true))
    measurement = std::exchange(plan_.measured[node], {});
  measurement.span_us = now_ - sender.answered_us;
  const double faults = std::floor(result_->nodes[node].faults - sender.reported_faults);
  measurement.read_misses = static_cast<uint64_t>(faults);
  sender.reported_faults += faults;
  ++result_->exchanges;
  post({.time_us = now_ + scenario_.exchange_us / 2, .kind = kind, .node = node, .measurement = measurement});
}

void Visit::answer(const schedulers::Reply& reply) {
  if (reply.node >= nodes_.size() || nodes_[reply.node].had_last)
    return complain("an answer went to node " + std::to_string(reply.node) + ", which expects none");
  nodes_[reply.node].had_last = reply.assignment.last;
  if (reply.assignment.repeats > 0) {
    plan_.repeats = reply.assignment.repeats;
    plan_.assignments[reply.node] = reply.assignment;
  }
  post({.time_us = now_ + scenario_.exchange_us / 2,
        .kind = Kind::Answer,
        .node = reply.node,
        .assignment = reply.assignment});
}

void Visit::take_answer(const Event& event) {
  Node& node = nodes_[event.node];
  node.answered_us = now_;
  work_[event.node].assign(event.assignment);
  for (const uint32_t thread : std::exchange(node.waiting, {}))
    continue_thread(event.node, thread);
}

std::string Visit::check_end() const {
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].inside > 0)
      return "node " + std::to_string(i) + " waits for an answer that never comes";
  const auto missed = std::find(executed_.begin(), executed_.end(), false);
  if (missed != executed_.end())
    return "iteration " + std::to_string(missed - executed_.begin()) + " was never handed out";
  return !from_plan_ && !policy_->finished() ? "the loop is done and the policy is not" : "";
}

void Visit::complain(std::string what) {
  if (problem_.empty())
    problem_ = std::move(what);
}

} // namespace hetmp::simulation
