// A timeline as a file in the JSON trace-event format, which ui.perfetto.dev opens.
#pragma once

#include "perf/report/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hetmp::perf {

/// A page fault of a node, until what it waited for was there.
struct TracedFault {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint64_t page = 0;
  const char* kind = ""; ///< "read miss"
};

struct TracedNode {
  uint32_t node = 0;
  int64_t shift_ns = 0; ///< to be added to its times: clocks of hosts differ
  std::vector<TraceEvent> events;
  std::vector<TracedFault> faults;
  uint64_t dropped = 0; ///< events that did not fit
  bool answered = true;
};

/// Of the event's construct: "file.c:12 function".
using NameOfConstruct = std::function<std::string(const TraceEvent& event)>;

/// One JSON object; times from `began_ns` on. Every node is a process, every thread and the node's page
/// faults a line of it.
std::string format_trace(const std::vector<TracedNode>& nodes, int64_t began_ns, const NameOfConstruct& name_of);

} // namespace hetmp::perf
