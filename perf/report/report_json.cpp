// The report for programs: JSON (RFC 8259), written without a library.
#include "perf/report/report_json.hpp"

#include "perf/report/report.hpp"
#include "perf/report/report_utf8.hpp"

#include <charconv>
#include <cmath>

namespace hetmp::perf {

std::string quoted(std::string_view text) {
  static constexpr char hexadecimal[] = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0)
      result += "\xef\xbf\xbd"; // U+FFFD
    else if (first < 0x20)
      result += {'\\', 'u', '0', '0', hexadecimal[first >> 4], hexadecimal[first & 15]};
    else if (first == '"' || first == '\\')
      result += {'\\', text[0]};
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + "\"";
}

namespace {

/// The shortest text that reads back as the same number; JSON has no infinity: null.
std::string number(double value) {
  if (!std::isfinite(value))
    return "null";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string number(uint64_t value) { return std::to_string(value); }
std::string number(uint32_t value) { return std::to_string(value); }

/// One JSON object or array under construction; values are JSON text already.
class Composite {
 public:
  Composite(char open, char close) : text_(1, open), close_(close) {}
  void member(std::string_view name, const std::string& value) { element(quoted(name) + ":" + value); }
  void element(const std::string& value) {
    if (text_.size() > 1)
      text_ += ',';
    text_ += value;
  }
  std::string finished() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

std::string json_of(const NodeRecord& node) {
  Composite object('{', '}');
  object.member("threads", number(node.threads));
  object.member("mean_us", number(node.mean_us));
  object.member("faults", number(node.faults));
  object.member("read_misses", number(node.read_misses));
  object.member("write_misses", number(node.write_misses));
  object.member("write_upgrades", number(node.write_upgrades));
  object.member("speed", number(node.speed));
  object.member("fault_period_us", number(node.fault_period_us));
  const double misses = node.misses_per_kilo_instruction;
  object.member("misses_per_kilo_instruction", misses < 0 ? "null" : number(misses));
  return object.finished();
}

std::string json_of(const RegionRecord& region) {
  const SourceLocation where = parse_source(region.source);
  Composite nodes('[', ']');
  for (const NodeRecord& node : region.nodes)
    nodes.element(json_of(node));
  Composite predicted('[', ']');
  for (const double us : region.predicted_us_per_iteration)
    predicted.element(number(us));
  Composite object('{', '}');
  object.member("file", quoted(where.file));
  object.member("function", quoted(where.function));
  object.member("line", number(where.line));
  object.member("column", number(where.column));
  object.member("place", quoted(region.place));
  object.member("address", number(region.address));
  object.member("policy", quoted(region.policy));
  object.member("mode", quoted(region.mode));
  object.member("visits", number(region.visits));
  object.member("probed_visits", number(region.probed_visits));
  object.member("most_probes", number(region.most_probes));
  object.member("audits", number(region.audits));
  object.member("trips", number(region.trips));
  object.member("exchanges", number(region.exchanges));
  object.member("nodes", nodes.finished());
  object.member("fault_period_us", number(region.fault_period_us));
  object.member("threshold_us", number(region.threshold_us));
  object.member("predicted_us_per_iteration", predicted.finished());
  object.member("decision", quoted(region.decision));
  object.member("reason", quoted(region.reason));
  object.member("total_us", number(region.total_us));
  return object.finished();
}

std::string json_of(const TaskTotals& tasks) {
  Composite object('{', '}');
  object.member("offered", number(tasks.offered));
  object.member("executed_elsewhere", number(tasks.executed_elsewhere));
  object.member("elsewhere_us", number(tasks.elsewhere_us));
  object.member("kept_because", quoted(tasks.kept_because));
  return object.finished();
}

std::string json_of(const NodeFaultTotals& totals) {
  Composite object('{', '}');
  object.member("read_misses", number(totals.read_misses));
  object.member("write_misses", number(totals.write_misses));
  object.member("write_upgrades", number(totals.write_upgrades));
  object.member("invalidations", number(totals.invalidations));
  object.member("bytes_received", number(totals.bytes_received));
  object.member("waited_us", number(totals.waited_us));
  object.member("known", totals.known ? "true" : "false");
  return object.finished();
}

std::string json_of(const HotPage& page) {
  Composite object('{', '}');
  object.member("address", number(page.address));
  object.member("read_misses", number(page.read_misses));
  object.member("write_misses", number(page.write_misses));
  object.member("write_upgrades", number(page.write_upgrades));
  object.member("turns", number(page.turns));
  object.member("waited_us", number(page.waited_us));
  return object.finished();
}

std::string json_of(const BouncingWriter& writer) {
  const bool known = writer.first <= writer.last;
  Composite object('{', '}');
  object.member("node", number(writer.node));
  object.member("turns", number(writer.turns));
  object.member("faults", number(writer.faults));
  object.member("waited_us", number(writer.waited_us));
  object.member("first", known ? number(writer.first) : "null");
  object.member("last", known ? number(writer.last) : "null");
  return object.finished();
}

std::string json_of(const BouncingPages& pages) {
  using Words = BouncingPages::Words;
  Composite holds('[', ']'), writers('[', ']'), regions('[', ']');
  for (const std::string& name : pages.holds)
    holds.element(quoted(name));
  for (const BouncingWriter& writer : pages.writers)
    writers.element(json_of(writer));
  for (const RegionTurns& region : pages.regions) {
    Composite object('{', '}');
    object.member("region", quoted(region.region));
    object.member("turns", number(region.turns));
    regions.element(object.finished());
  }
  Composite object('{', '}');
  object.member("address", number(pages.address));
  object.member("pages", number(pages.pages));
  object.member("holds", holds.finished());
  object.member("writers", writers.finished());
  object.member("regions", regions.finished());
  object.member("turns", number(pages.turns));
  object.member("faults", number(pages.faults()));
  object.member("waited_us", number(pages.waited_us));
  const char* words = pages.words == Words::Same ? "same" : pages.words == Words::Different ? "different" : "unknown";
  object.member("words", quoted(words));
  return object.finished();
}

template <class Value> std::string json_of_each(const std::vector<Value>& values) {
  Composite array('[', ']');
  for (const Value& value : values)
    array.element("\n" + json_of(value));
  return array.finished();
}

} // namespace

std::string format_json(const Report& report) {
  Composite object('{', '}');
  object.member("version", number(uint32_t(1)));
  object.member("nodes", number(report.nodes));
  object.member("counters", quoted(report.counters));
  object.member("threshold_from", quoted(report.threshold_from));
  object.member("elapsed_us", number(report.elapsed_us));
  object.member("tasks", json_of(report.tasks));
  object.member("regions", json_of_each(report.regions));
  object.member("totals", json_of_each(report.totals));
  object.member("bouncing", json_of_each(report.bouncing));
  object.member("pages", json_of_each(report.pages));
  return object.finished() + "\n";
}

} // namespace hetmp::perf
