// What the core tells a timeline. Each costs one branch while nobody wants one.
#pragma once

#include "perf/report/trace.hpp"
#include "runtime/team/node_team.hpp"

namespace hetmp::runtime {

/// Threads of nested teams have numbers that others have as well: they are left out.
inline bool is_traced(const ImplicitTask& task) { return task.active_level <= 1; }

inline void trace_iterations_begin(ImplicitTask& task, schedulers::Range range, const void* call_site,
                                   const char* source) {
  if (!perf::trace_buffer) [[likely]]
    return;
  const int64_t now = is_traced(task) && !range.empty() ? perf::TraceBuffer::now_ns() : 0;
  task.traced = {now, range, call_site, source};
}

inline void trace_iterations_end(ImplicitTask& task, perf::TraceEvent::Kind kind, bool measured) {
  if (!perf::trace_buffer || task.traced.since_ns == 0) [[likely]]
    return;
  const TracedIterations& traced = task.traced;
  perf::trace_buffer->record({kind, task.team->description.node, task.number, measured, traced.since_ns,
                              perf::TraceBuffer::now_ns(), reinterpret_cast<uint64_t>(traced.call_site), traced.source,
                              traced.range.begin, traced.range.size()});
  task.traced.since_ns = 0;
}

} // namespace hetmp::runtime
