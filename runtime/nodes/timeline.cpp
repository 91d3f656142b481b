#include "runtime/nodes/timeline.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/trace_file.hpp"
#include "runtime/nodes/construct_names.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

namespace hetmp::runtime::timeline {
namespace {

using perf::TraceBuffer;
using perf::TracedNode;
using perf::TraceEvent;

const char* name_of(dsm::FaultEvent::Kind kind) {
  switch (kind) {
  case dsm::FaultEvent::Kind::ReadMiss:
    return "read miss";
  case dsm::FaultEvent::Kind::WriteMiss:
    return "write miss";
  case dsm::FaultEvent::Kind::WriteUpgrade:
    return "write upgrade";
  }
  return "fault";
}

void take(void* context, const dsm::NodeTimeline& seen) {
  TracedNode node;
  node.node = seen.node;
  node.answered = seen.answered;
  node.dropped = seen.faults_dropped;
  // On one machine the clock is the same one; otherwise a message tells, to the time that it takes.
  node.shift_ns = layout().hosts ? -seen.clock_ahead_ns : 0;
  for (size_t i = 0; i < seen.fault_count; ++i)
    node.faults.push_back(
        {seen.faults[i].begin_ns, seen.faults[i].end_ns, seen.faults[i].page, name_of(seen.faults[i].kind)});
  uint64_t dropped = 0;
  if (seen.event_bytes >= sizeof dropped) {
    const auto* bytes = static_cast<const char*>(seen.events);
    memcpy(&dropped, bytes, sizeof dropped);
    node.events.resize((seen.event_bytes - sizeof dropped) / sizeof(TraceEvent));
    memcpy(static_cast<void*>(node.events.data()), bytes + sizeof dropped, node.events.size() * sizeof(TraceEvent));
  }
  node.dropped += dropped;
  static_cast<std::vector<TracedNode>*>(context)->push_back(std::move(node));
}

/// Nodes inside this process.
std::vector<TracedNode> nodes_of_this_process() {
  std::vector<TraceEvent> events(TraceBuffer::capacity);
  events.resize(perf::trace_buffer->read(events.data(), events.size()));
  std::vector<TracedNode> nodes(layout().nodes());
  for (uint32_t node = 0; node < nodes.size(); ++node)
    nodes[node].node = node;
  for (const TraceEvent& event : events)
    nodes[event.node].events.push_back(event);
  nodes[0].dropped = perf::trace_buffer->dropped();
  return nodes;
}

/// Addresses mean the same on every node, so this one can look them up for all; each once, since symbol tables are slow
/// to look through.
class EventNames {
 public:
  std::string of(const TraceEvent& event) {
    const auto [place, is_new] = names_.try_emplace({event.subject, event.source});
    if (is_new) {
      const bool region = event.kind == TraceEvent::Kind::Region;
      place->second =
          name_of_construct(event.subject, region ? source_of(event.source) : static_cast<const char*>(event.source));
    }
    return place->second;
  }

 private:
  std::map<std::pair<uint64_t, const void*>, std::string> names_;
};

std::string destination() {
  const auto value = environment_value(Variable::HETMP_TRACE);
  return value && *value != "0" ? *value : std::string();
}

} // namespace

bool is_wanted() { return !destination().empty(); }

void start() {
  if (!is_wanted())
    return;
  perf::trace_buffer = new TraceBuffer;
  if (fabric)
    fabric->watch_faults(sizeof(uint64_t) + TraceBuffer::capacity * sizeof(TraceEvent));
}

size_t read_events(void* to, size_t most_bytes) {
  const uint64_t dropped = perf::trace_buffer ? perf::trace_buffer->dropped() : 0;
  if (!perf::trace_buffer || most_bytes < sizeof dropped)
    return 0;
  memcpy(to, &dropped, sizeof dropped);
  auto* events = reinterpret_cast<TraceEvent*>(static_cast<char*>(to) + sizeof dropped);
  const size_t count = perf::trace_buffer->read(events, (most_bytes - sizeof dropped) / sizeof(TraceEvent));
  return sizeof dropped + count * sizeof(TraceEvent);
}

void write() {
  if (!perf::trace_buffer)
    return;
  std::vector<TracedNode> nodes;
  if (fabric)
    fabric->gather_timelines(take, &nodes);
  else
    nodes = nodes_of_this_process();
  const std::string name = destination();
  EventNames names;
  const auto name_of = [&](const TraceEvent& event) { return names.of(event); };
  if (name.empty() || perf::write_file(name, perf::format_trace(nodes, perf::trace_buffer->began_ns(), name_of)))
    return;
  say("HETMP_TRACE=%s: cannot write the timeline: %s", name.c_str(), strerror(errno));
}

} // namespace hetmp::runtime::timeline
