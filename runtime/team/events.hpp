// What begins and ends: implicit tasks, loops, barriers, regions on several nodes. The code of constructs tells it
// here, whoever listens; it knows no listener. While nobody does, an event costs one branch that is predicted.
//
// Listeners: a timeline (perf/report/trace.hpp), and the fabric, which brings ahead what a loop touched on its last
// visit. What is a span of time is a class: it begins where it is constructed, and ends with its scope.
#pragma once

#include "perf/report/trace.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime::events {

/// Threads of nested teams have numbers that others have as well: timelines leave them out.
inline bool is_traced(const ImplicitTask& task) { return task.active_level <= 1; }

/// The thread executes its part of a region, an implicit task.
class ExecutingRegion {
 public:
  explicit ExecutingRegion(const ImplicitTask& task)
      : span_(is_traced(task), perf::TraceEvent::Kind::Region, task.team->description.node, task.number,
              task.team->description.microtask, task.team->description.source) {}

 private:
  const perf::TraceSpan span_;
};

/// The thread is at a barrier, until the whole team is.
class AtBarrier {
 public:
  explicit AtBarrier(const ImplicitTask& task)
      : span_(is_traced(task), perf::TraceEvent::Kind::Barrier, task.team->description.node, task.number) {}

 private:
  const perf::TraceSpan span_;
};

/// The primary ends its node's part of a region; on node 0 of several it waits for the others.
class EndingRegion {
 public:
  explicit EndingRegion(const NodeTeam& team)
      : span_(team.global && team.description.node == 0, perf::TraceEvent::Kind::Join, 0, 0) {}

 private:
  const perf::TraceSpan span_;
};

/// The thread asks for its node what to execute of the loop in hand.
class AskingForIterations {
 public:
  explicit AskingForIterations(const ImplicitTask& task)
      : span_(is_traced(task), perf::TraceEvent::Kind::Ask, task.team->description.node, task.number,
              task.loop.call_site, task.loop.source) {}

  /// Before the scope ends.
  void answered(const schedulers::Assignment& answer) {
    span_.event.first = answer.piece_count != 0 ? answer.pieces[0].begin : 0;
    span_.event.count = answer.size();
    span_.event.measured = answer.measured;
  }

 private:
  perf::TraceSpan span_;
};

/// The thread begins iterations of the loop in hand.
inline void iterations_begin(ImplicitTask& task, schedulers::Range range, const void* call_site, const char* source) {
  if (!perf::trace_buffer) [[likely]]
    return;
  const int64_t now = is_traced(task) && !range.empty() ? perf::TraceBuffer::now_ns() : 0;
  task.traced = {now, range, call_site, source};
}

/// They are over, if there are any: of a static loop, which has them in one piece, or of another.
enum class Iterations : uint8_t { Share, Chunk };
inline void iterations_end(ImplicitTask& task, Iterations kind, bool measured) {
  if (!perf::trace_buffer || task.traced.since_ns == 0) [[likely]]
    return;
  using Kind = perf::TraceEvent::Kind;
  const TracedIterations& traced = task.traced;
  perf::trace_buffer->record({kind == Iterations::Share ? Kind::Share : Kind::Chunk, task.team->description.node,
                              task.number, measured, traced.since_ns, perf::TraceBuffer::now_ns(),
                              reinterpret_cast<uint64_t>(traced.call_site), traced.source, traced.range.begin,
                              traced.range.size()});
  task.traced.since_ns = 0;
}

/// The node begins a visit of the loop that nobody measures: the decisions about a loop go by the faults that it shows
/// when nothing is brought ahead. By the calling thread, of a team on several nodes or not.
inline void visit_begins(const NodeTeam& team, const void* call_site) {
  if (team.global && fabric && fabric->begin_visit) [[unlikely]]
    fabric->begin_visit(reinterpret_cast<uint64_t>(call_site));
}

/// The node's threads have left their last loop, or begin one that is measured.
inline void visit_ends(const NodeTeam& team) {
  if (team.global && fabric && fabric->end_visit) [[unlikely]]
    fabric->end_visit();
}

} // namespace hetmp::runtime::events
