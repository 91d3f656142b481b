// HetProbe loops of a team on several nodes: probe with equal shares, let the nodes decide, run the rest.
//
// Each thread goes through the phases below. At node level the first thread to come asks what to do, the last one to
// finish its probe share reports what the node measured; the others wait for the plan.
#include "runtime/core/fault_source.hpp"
#include "runtime/core/loop.hpp"
#include "runtime/core/nodes.hpp"
#include "schedulers/loop.hpp"
#include "schedulers/probe.hpp"
#include "schedulers/split.hpp"


namespace hetmp::runtime {

using schedulers::Range;

namespace {
uint64_t no_faults() {
  return 0;
}
} // namespace

uint64_t (*node_faults)() = no_faults;

namespace {

enum Phase : uint8_t { Arriving, Probing, Finishing };

ProbeState& probe_state(LoopBuffer& buffer) {
  FutexLockGuard guard(buffer.probe_lock);
  if (!buffer.probe)
    buffer.probe = std::make_unique<ProbeState>();
  return *buffer.probe;
}

void publish(ProbeState& state, const LoopPlan& plan, uint32_t number_of_plans) {
  state.plan = plan;
  state.plans.store(number_of_plans, std::memory_order_release); // pairs with await_plan()
  state.progress.post();
}

void await_plan(ProbeState& state, uint32_t number_of_plans) {
  while (true) {
    const uint32_t seen = state.progress.epoch();
    if (state.plans.load(std::memory_order_acquire) >= number_of_plans)
      return;
    state.progress.wait_while(seen);
  }
}

void obtain_first_plan(ImplicitTask& task, ProbeState& state) {
  if (state.asked.exchange(1, std::memory_order_relaxed) != 0) {
    await_plan(state, 1);
    return;
  }
  const LoopProgress& loop = task.loop;
  const NodeTeam& team = *task.team;
  const LoopIdentity identity{loop.source, loop.call_site};
  const LoopPlan plan = team.global->plan_loop(team.description, loop.global_name, identity, loop.trips);
  state.faults_before = node_faults();
  publish(state, plan, 1);
}

/// The thread's probe share is done.
void report_share(ImplicitTask& task, ProbeState& state) {
  const LoopProgress& loop = task.loop;
  const NodeTeam& team = *task.team;
  const uint32_t threads = team.local_threads();
  state.nanoseconds.fetch_add(monotonic_nanoseconds() - loop.probe_started, std::memory_order_relaxed);
  state.cpu_nanoseconds.fetch_add(thread_cpu_nanoseconds() - loop.probe_cpu_started, std::memory_order_relaxed);
  // acq_rel: the last thread sees all sums.
  if (state.reported.fetch_add(1, std::memory_order_acq_rel) + 1 != threads) {
    await_plan(state, 2);
    return;
  }
  const uint64_t share =
      schedulers::probe_share(loop.trips, task.team_size, loop.schedule.probe_percent, task.number).size();
  ProbeReport report;
  report.mean_us = double(state.nanoseconds.load(std::memory_order_relaxed)) / 1e3 / threads;
  report.busy_us = double(state.cpu_nanoseconds.load(std::memory_order_relaxed)) / 1e3 / threads;
  report.faults = node_faults() - state.faults_before;
  report.iterations = share * threads;
  report.threads = threads;
  publish(state, team.global->report_probe(team.description, loop.global_name, report), 2);
}

/// This thread's part of `all` under a plan that is not a probe.
Range share_by_plan(const ImplicitTask& task, const LoopPlan& plan, Range all) {
  const TeamDescription& part = task.team->description;
  Range node_range = all;
  if (plan.action == LoopPlan::Action::OneNode) {
    if (plan.only_node != part.node)
      return {};
  } else {
    const auto threads = deal_threads(part.threads, layout().cpu_counts()); // as the team was dealt
    node_range = schedulers::split_by_speed(all, plan.speed, threads.data(), part.nodes)[part.node];
  }
  const Range own = schedulers::static_share(node_range.size(), part.local_threads, task.local_number);
  return {node_range.begin + own.begin, node_range.begin + own.end};
}

Range probe(ImplicitTask& task) {
  LoopProgress& loop = task.loop;
  loop.phase = Probing;
  loop.probe_cpu_started = thread_cpu_nanoseconds();
  loop.probe_started = monotonic_nanoseconds();
  return schedulers::probe_share(loop.trips, task.team_size, loop.schedule.probe_percent, task.number);
}

} // namespace

bool next_hetprobe_chunk(ImplicitTask& task, Range& chunk) {
  LoopProgress& loop = task.loop;
  if (loop.phase == Finishing)
    return false;
  ProbeState& state = probe_state(buffer_of(task));
  Range rest{0, loop.trips};
  if (loop.phase == Arriving) {
    obtain_first_plan(task, state);
    if (state.plan.action == LoopPlan::Action::Probe) {
      chunk = probe(task);
      if (!chunk.empty())
        return true;
    }
  }
  if (loop.phase == Probing) {
    report_share(task, state);
    rest = schedulers::after_probe(loop.trips, task.team_size, loop.schedule.probe_percent);
  }
  loop.phase = Finishing;
  chunk = share_by_plan(task, state.plan, rest);
  return !chunk.empty();
}

void reset_probe(LoopBuffer& buffer) {
  if (!buffer.probe)
    return;
  ProbeState& state = *buffer.probe;
  state.asked.store(0, std::memory_order_relaxed);
  state.reported.store(0, std::memory_order_relaxed);
  state.nanoseconds.store(0, std::memory_order_relaxed);
  state.cpu_nanoseconds.store(0, std::memory_order_relaxed);
  state.plans.store(0, std::memory_order_relaxed);
}

} // namespace hetmp::runtime
