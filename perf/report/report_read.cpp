// A report back from its JSON, for the tool.
#include "perf/json.hpp"
#include "perf/read_file.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"

namespace hetmp::perf {
namespace {

using nlohmann::json;

// More than programs write. A small file is not to become a large page.
constexpr size_t deepest = 16, most_elements = 1 << 16, longest_name = 1024;

/// Reads members of objects. What is missing or null stays as it is; remembers the first that is of the wrong
/// kind.
class Reader {
 public:
  template <class Value> void member(const json& object, const char* name, Value& value) {
    if (!object.is_object())
      return fail("something that should be an object");
    const auto found = object.find(name);
    if (found == object.end() || found->is_null())
      return;
    if (!take(*found, value))
      fail(name);
  }

  const std::string& problem() const { return problem_; }

 private:
  bool take(const json& from, double& value) {
    if (from.is_number())
      value = from.get<double>();
    return from.is_number();
  }
  bool take(const json& from, uint64_t& value) {
    if (from.is_number_unsigned())
      value = from.get<uint64_t>();
    return from.is_number_unsigned();
  }
  bool take(const json& from, uint32_t& value) {
    uint64_t wide = 0;
    if (!take(from, wide) || wide > UINT32_MAX)
      return false;
    value = uint32_t(wide);
    return true;
  }
  bool take(const json& from, bool& value) {
    if (from.is_boolean())
      value = from.get<bool>();
    return from.is_boolean();
  }
  bool take(const json& from, std::string& value) {
    if (from.is_string())
      value = shortened(from.get_ref<const std::string&>(), longest_name);
    return from.is_string();
  }
  bool take(const json& from, BouncingPages::Words& value) {
    std::string text;
    using Words = BouncingPages::Words;
    value = take(from, text) && text == "same" ? Words::Same : text == "different" ? Words::Different : Words::Unknown;
    return from.is_string();
  }
  template <class Value> bool take(const json& from, std::vector<Value>& values) {
    if (!from.is_array() || from.size() > most_elements)
      return false;
    for (const json& element : from) {
      Value value{};
      if (!take(element, value))
        return false;
      values.push_back(std::move(value));
    }
    return true;
  }

  bool take(const json& from, NodeRecord& node) {
    member(from, "threads", node.threads);
    member(from, "mean_us", node.mean_us);
    member(from, "faults", node.faults);
    member(from, "read_misses", node.read_misses);
    member(from, "write_misses", node.write_misses);
    member(from, "write_upgrades", node.write_upgrades);
    member(from, "speed", node.speed);
    member(from, "fault_period_us", node.fault_period_us);
    member(from, "misses_per_kilo_instruction", node.misses_per_kilo_instruction);
    return from.is_object();
  }

  bool take(const json& from, RegionRecord& region) {
    SourceLocation where;
    member(from, "file", where.file);
    member(from, "function", where.function);
    member(from, "line", where.line);
    member(from, "column", where.column);
    region.source = ";" + where.file + ";" + where.function + ";" + std::to_string(where.line) + ";" +
                    std::to_string(where.column) + ";;";
    member(from, "place", region.place);
    member(from, "address", region.address);
    member(from, "policy", region.policy);
    member(from, "mode", region.mode);
    member(from, "visits", region.visits);
    member(from, "probed_visits", region.probed_visits);
    member(from, "most_probes", region.most_probes);
    member(from, "audits", region.audits);
    member(from, "trips", region.trips);
    member(from, "exchanges", region.exchanges);
    member(from, "nodes", region.nodes);
    member(from, "fault_period_us", region.fault_period_us);
    member(from, "threshold_us", region.threshold_us);
    member(from, "predicted_us_per_iteration", region.predicted_us_per_iteration);
    member(from, "decision", region.decision);
    member(from, "reason", region.reason);
    member(from, "total_us", region.total_us);
    return from.is_object();
  }

  bool take(const json& from, TaskTotals& tasks) {
    member(from, "offered", tasks.offered);
    member(from, "executed_elsewhere", tasks.executed_elsewhere);
    member(from, "elsewhere_us", tasks.elsewhere_us);
    member(from, "kept_because", tasks.kept_because);
    return from.is_object();
  }

  bool take(const json& from, NodeFaultTotals& totals) {
    member(from, "read_misses", totals.read_misses);
    member(from, "write_misses", totals.write_misses);
    member(from, "write_upgrades", totals.write_upgrades);
    member(from, "invalidations", totals.invalidations);
    member(from, "bytes_received", totals.bytes_received);
    member(from, "waited_us", totals.waited_us);
    member(from, "known", totals.known);
    return from.is_object();
  }

  bool take(const json& from, HotPage& page) {
    member(from, "address", page.address);
    member(from, "read_misses", page.read_misses);
    member(from, "write_misses", page.write_misses);
    member(from, "write_upgrades", page.write_upgrades);
    member(from, "turns", page.turns);
    member(from, "waited_us", page.waited_us);
    return from.is_object();
  }

  bool take(const json& from, BouncingWriter& writer) {
    member(from, "node", writer.node);
    member(from, "turns", writer.turns);
    member(from, "faults", writer.faults);
    member(from, "waited_us", writer.waited_us);
    member(from, "first", writer.first);
    member(from, "last", writer.last);
    return from.is_object();
  }

  bool take(const json& from, RegionTurns& region) {
    member(from, "region", region.region);
    member(from, "turns", region.turns);
    return from.is_object();
  }

  bool take(const json& from, BouncingPages& pages) {
    member(from, "address", pages.address);
    member(from, "pages", pages.pages);
    member(from, "holds", pages.holds);
    member(from, "writers", pages.writers);
    member(from, "regions", pages.regions);
    member(from, "turns", pages.turns);
    member(from, "waited_us", pages.waited_us);
    member(from, "words", pages.words);
    return from.is_object();
  }

  void fail(const std::string& what) {
    if (problem_.empty())
      problem_ = what + " is not what a report has there";
  }

  std::string problem_;
};

} // namespace

bool parse_report(std::string_view text, Report& report, std::string& problem) {
  if (text.size() > largest_report) {
    problem = "is larger than 16 MiB";
    return false;
  }
  if (nests_deeper_than(text, deepest)) {
    problem = "is nested more deeply than a report";
    return false;
  }
  const json file = json::parse(text, nullptr, false);
  if (file.is_discarded() || !file.is_object() || !file.contains("version") || !file.contains("regions")) {
    problem = "is not a report in JSON";
    return false;
  }
  Reader reader;
  uint32_t version = 0;
  reader.member(file, "version", version);
  if (reader.problem().empty() && version != 1) {
    problem = "is of version " + std::to_string(version) + ", and this program reads version 1";
    return false;
  }
  report = {};
  reader.member(file, "nodes", report.nodes);
  reader.member(file, "counters", report.counters);
  reader.member(file, "threshold_from", report.threshold_from);
  reader.member(file, "elapsed_us", report.elapsed_us);
  reader.member(file, "tasks", report.tasks);
  reader.member(file, "regions", report.regions);
  reader.member(file, "totals", report.totals);
  reader.member(file, "bouncing", report.bouncing);
  reader.member(file, "pages", report.pages);
  problem = reader.problem();
  return problem.empty();
}

} // namespace hetmp::perf
