// Loops of a team on several nodes whose chunks are asked for one by one: the node's threads share its work
// (schedulers/policies/node_work.hpp), and one of them asks the loop's policy for more when the node has none.
#include "base/check.hpp"
#include "runtime/global/node_loops.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/loops/plan_cache.hpp"
#include "runtime/team/events.hpp"
#include "runtime/team/node_team.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <utility>

namespace hetmp::runtime {

using schedulers::Assignment;
using schedulers::NodeWork;
using schedulers::Range;

namespace {

LoopQuestion question_about(const LoopProgress& loop) {
  LoopQuestion question;
  question.identity = {loop.source, loop.call_site};
  question.schedule = loop.schedule;
  question.trips = loop.trips;
  return question;
}

/// The first thread of the node to come sets the visit up, and needs to ask nobody if an earlier answer still stands.
void begin_visit(ImplicitTask& task, LoopBuffer& buffer) {
  HETMP_CHECK(buffer.lock.held() && task.team->global);
  HETMP_CHECK(!buffer.known && !buffer.asked && buffer.handed_out_end == 0); // reset_placed_loop() was here
  buffer.begun = true;
  buffer.work.begin(task.team->local_threads());
  buffer.before = snapshot_of_node();
  const schedulers::PolicyDescriptor& policy = schedulers::policy_of(task.loop.schedule.kind);
  if (!policy.learns)
    return;
  events::visit_ends(*task.team);
  if (!policy.repeats)
    return;
  if (const auto known = plan_cache::take(task.team->description, task.loop.call_site, task.loop.trips)) {
    events::visit_begins(*task.team, task.loop.call_site);
    buffer.work.assign(*known);
    buffer.known = true;
  }
}

/// The chunk in hand has been executed.
void account(ImplicitTask& task, LoopBuffer& buffer) {
  LoopProgress& loop = task.loop;
  const Measured measured = std::exchange(loop.measured, Measured::Nothing);
  if (measured == Measured::Time) {
    const double elapsed_us = double(monotonic_nanoseconds() - loop.started.elapsed_ns) / 1000;
    HETMP_CHECK(elapsed_us >= 0 && buffer.begun);
    FutexLockGuard guard(buffer.lock);
    buffer.known_times.iterations += loop.timed_iterations;
    buffer.known_times.thread_us += elapsed_us;
  } else if (measured == Measured::Everything) {
    const schedulers::ChunkMeasurement chunk = since(loop.started);
    FutexLockGuard guard(buffer.lock);
    buffer.work.account(task.local_number, chunk);
  }
}

struct NextStep {
  NodeWork::Step step = NodeWork::Step::Leave;
  Measured measured = Measured::Nothing;
  uint64_t predecessor_end = 0;
  schedulers::NodeMeasurement done;
};

NextStep next_step(ImplicitTask& task, LoopBuffer& buffer, Range& chunk) {
  FutexLockGuard guard(buffer.lock);
  if (!buffer.begun)
    begin_visit(task, buffer);
  NextStep next;
  next.step = buffer.work.next(task.local_number, chunk);
  HETMP_CHECK(next.step != NodeWork::Step::Run || !chunk.empty());
  switch (next.step) {
  case NodeWork::Step::Run:
    next.measured = buffer.work.measuring() ? Measured::Everything : buffer.known ? Measured::Time : Measured::Nothing;
    next.predecessor_end = buffer.handed_out_end;
    buffer.handed_out_end = chunk.end;
    break;
  case NodeWork::Step::Ask:
  case NodeWork::Step::Report:
    if (next.step == NodeWork::Step::Ask && !std::exchange(buffer.asked, true)) {
      if (schedulers::policy_of(task.loop.schedule.kind).repeats)
        next.done = plan_cache::take_times(task.team->description, task.loop.call_site);
      break;
    }
    next.done = buffer.work.collect();
    add_since(buffer.before, next.done);
    break;
  default:
    break;
  }
  return next;
}

void ask(ImplicitTask& task, LoopBuffer& buffer, const schedulers::NodeMeasurement& done) {
  NodeTeam& team = *task.team;
  LoopQuestion question = question_about(task.loop);
  question.done = done;
  events::AskingForIterations asking(task);
  const Assignment answer = team.global->loops.ask_loop(team.description, task.loop.global_name, question);
  asking.answered(answer);
  {
    FutexLockGuard guard(buffer.lock);
    buffer.work.assign(answer);
    buffer.before.elapsed_ns = monotonic_nanoseconds();
    if (answer.last && answer.repeats != 0)
      plan_cache::keep(team.description, task.loop.call_site, task.loop.trips, answer);
  }
  buffer.answers.post();
}

void report(ImplicitTask& task, const schedulers::NodeMeasurement& done) {
  NodeTeam& team = *task.team;
  LoopQuestion question = question_about(task.loop);
  question.done = done;
  team.global->loops.report_loop(team.description, task.loop.global_name, question);
}

void start(ImplicitTask& task, const NextStep& next, Range chunk) {
  if (task.loop.ordered)
    open_ordered_chunk(task, chunk, next.predecessor_end);
  task.loop.measured = next.measured;
  if (next.measured == Measured::Everything) {
    task.loop.started = snapshot_of_thread(!task.loop.schedule.unsaid);
  } else if (next.measured == Measured::Time) {
    task.loop.timed_iterations = chunk.size();
    task.loop.started.elapsed_ns = monotonic_nanoseconds();
  }
}

} // namespace

bool next_placed_chunk(ImplicitTask& task, Range& chunk) {
  LoopBuffer& buffer = buffer_of(task);
  account(task, buffer);
  while (true) {
    // Read before the look at the node's work: an answer that comes in between is not missed.
    const uint32_t seen = buffer.answers.epoch();
    const NextStep next = next_step(task, buffer, chunk);
    switch (next.step) {
    case NodeWork::Step::Run:
      start(task, next, chunk);
      return true;
    case NodeWork::Step::Ask:
      ask(task, buffer, next.done);
      break;
    case NodeWork::Step::Wait:
      buffer.answers.wait_while(seen);
      break;
    case NodeWork::Step::Report:
      report(task, next.done);
      return false;
    case NodeWork::Step::Leave:
      return false;
    }
  }
}

void drop_placed_chunks(ImplicitTask& task, LoopBuffer& buffer) {
  FutexLockGuard guard(buffer.lock);
  if (buffer.begun)
    buffer.work.drop(task.local_number);
}

void reset_placed_loop(ImplicitTask& task, LoopBuffer& buffer) {
  if (buffer.known)
    plan_cache::add_times(task.team->description, task.loop.call_site, std::exchange(buffer.known_times, {}));
  buffer.begun = buffer.known = buffer.asked = false;
  buffer.handed_out_end = 0;
}

} // namespace hetmp::runtime
