#include "perf/report/trace_file.hpp"

#include "perf/report/report_json.hpp"
#include "perf/report/report_text.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace hetmp::perf {

TraceBuffer* trace_buffer = nullptr;

namespace {

constexpr uint32_t faults_line = 0; ///< of a node; threads follow: number + 1

/// Process and thread of a node's line. Not 0, which viewers take for the idle task, and no thread number
/// twice.
std::string place(uint32_t node, uint32_t line) {
  const uint64_t process = uint64_t(node) + 1;
  return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(process * 100'000 + line);
}

/// Microseconds with all their nanoseconds.
std::string microseconds(int64_t ns) {
  char digits[32];
  const int64_t whole = std::max<int64_t>(ns, 0);
  char* end = std::to_chars(digits, digits + sizeof digits, whole / 1000).ptr;
  *end++ = '.';
  for (int64_t scale = 100, rest = whole % 1000; scale > 0; scale /= 10)
    *end++ = char('0' + rest / scale % 10);
  return {digits, end};
}

class Writer {
 public:
  Writer(int64_t began_ns, const NameOfConstruct& name_of) : began_ns_(began_ns), name_of_(name_of) {}

  void node(const TracedNode& node) {
    name("process_name", node.node, 0,
         "node " + std::to_string(node.node) + (node.answered ? "" : " (did not answer)"));
    shift_ns_ = node.shift_ns;
    if (!node.faults.empty())
      name("thread_name", node.node, faults_line, "page faults");
    std::set<uint32_t> threads;
    for (const TraceEvent& event : node.events)
      threads.insert(event.thread);
    for (const uint32_t thread : threads)
      name("thread_name", node.node, thread + 1, "thread " + std::to_string(thread));
    for (const TraceEvent& event : node.events)
      complete(node.node, event.thread + 1, text_of(event), category_of(event), event.begin_ns, event.end_ns,
               arguments_of(event));
    faults(node);
  }

  std::string finished(uint64_t dropped) {
    return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":\"hetmp\",\"dropped\":" + std::to_string(dropped) +
           "},\"traceEvents\":[" + text_ + "]}\n";
  }

 private:
  /// A node waits for many pages at a time: each wait begins and ends by itself.
  void faults(const TracedNode& node) {
    uint64_t number = 0;
    for (const TracedFault& fault : node.faults) {
      const std::string id = "\"" + std::to_string(node.node) + "." + std::to_string(number++) + "\"";
      for (const bool begin : {true, false})
        event("{\"ph\":\"" + std::string(begin ? "b" : "e") + "\",\"cat\":\"fault\",\"name\":" + quoted(fault.kind) +
              ",\"id\":" + id + "," + place(node.node, faults_line) +
              ",\"ts\":" + time(begin ? fault.begin_ns : fault.end_ns) +
              ",\"args\":{\"page\":" + quoted(hexadecimal(fault.page)) + "}}");
    }
  }

  void name(const char* what, uint32_t node, uint32_t line, const std::string& text) {
    event("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"," + place(node, line) +
          ",\"args\":{\"name\":" + quoted(text) + "}}");
  }

  void complete(uint32_t node, uint32_t line, const std::string& name, const char* category, int64_t begin, int64_t end,
                const std::string& arguments) {
    event("{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":" + quoted(name) + "," + place(node, line) +
          ",\"ts\":" + time(begin) + ",\"dur\":" + microseconds(end - begin) + ",\"args\":{" + arguments + "}}");
  }

  void event(const std::string& object) { text_ += (text_.empty() ? "\n" : ",\n") + object; }

  std::string time(int64_t ns) const { return microseconds(ns + shift_ns_ - began_ns_); }

  std::string text_of(const TraceEvent& event) const {
    switch (event.kind) {
    case TraceEvent::Kind::Region:
      return name_of_(event);
    case TraceEvent::Kind::Share:
    case TraceEvent::Kind::Chunk:
      return "loop " + name_of_(event);
    case TraceEvent::Kind::Ask:
      return "ask for loop " + name_of_(event);
    case TraceEvent::Kind::Barrier:
      return "barrier";
    case TraceEvent::Kind::Join:
      return "wait for other nodes";
    }
    return {};
  }

  static const char* category_of(const TraceEvent& event) {
    switch (event.kind) {
    case TraceEvent::Kind::Region:
      return "region";
    case TraceEvent::Kind::Share:
    case TraceEvent::Kind::Chunk:
      return "loop";
    case TraceEvent::Kind::Ask:
      return "assignment";
    default:
      return "wait";
    }
  }

  static std::string arguments_of(const TraceEvent& event) {
    using Kind = TraceEvent::Kind;
    if (event.kind != Kind::Share && event.kind != Kind::Chunk && event.kind != Kind::Ask)
      return {};
    return "\"first\":" + std::to_string(event.first) + ",\"iterations\":" + std::to_string(event.count) +
           ",\"measured\":" + (event.measured ? "true" : "false");
  }

  const int64_t began_ns_;
  const NameOfConstruct& name_of_;
  int64_t shift_ns_ = 0;
  std::string text_;
};

} // namespace

std::string format_trace(const std::vector<TracedNode>& nodes, int64_t began_ns, const NameOfConstruct& name_of) {
  Writer writer(began_ns, name_of);
  uint64_t dropped = 0;
  for (const TracedNode& node : nodes) {
    writer.node(node);
    dropped += node.dropped;
  }
  return writer.finished(dropped);
}

} // namespace hetmp::perf
