// The report for people: one line a region, cells padded to columns.
#include "perf/report/report_text.hpp"
#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hetmp::perf {
namespace {

using Row = std::vector<std::string>;

} // namespace

std::string in_digits(double value) {
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  char digits[32];
  auto [end, problem] =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, std::abs(value) < 10 ? 2 : 0);
  if (problem != std::errc{}) // too large for this notation
    end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 2).ptr;
  return {digits, end};
}

namespace {

/// The cell's values joined by `separator`, one for each node.
template <class Value> std::string of_each_node(const RegionRecord& region, const char* separator, Value value) {
  std::string text;
  for (const NodeRecord& node : region.nodes) {
    if (!text.empty())
      text += separator;
    text += value(node);
  }
  return text;
}

} // namespace

std::string in_time(double microseconds) {
  if (microseconds < 1e3)
    return in_digits(microseconds) + " us";
  return microseconds < 1e6 ? in_digits(microseconds / 1e3) + " ms" : in_digits(microseconds / 1e6) + " s";
}

namespace {

/// `Record`: of a loop or of a parallel region.
template <class Record> std::string name_of(const Record& region, const char* kind) {
  const SourceLocation where = parse_source(region.source);
  if (where.line == 0 && !region.place.empty())
    return region.place + " (no -g)";
  if (where.line == 0)
    return std::string("(no source line; built without -g?) ")
        .append(kind)
        .append(" at ")
        .append(hexadecimal(region.address));
  const size_t slash = where.file.rfind('/');
  const std::string file = slash == std::string::npos ? where.file : where.file.substr(slash + 1);
  return file + ":" + std::to_string(where.line) + " " + where.function;
}

} // namespace

std::string region_name(const RegionRecord& region) { return name_of(region, "loop"); }
std::string region_name(const PlacedRegion& region) { return name_of(region, "region"); }

namespace {

std::string fault_period(const RegionRecord& region) {
  if (region.probed_visits == 0)
    return "not measured";
  if (std::isinf(region.fault_period_us))
    return "no faults";
  return "fault period " + in_digits(region.fault_period_us) + " us (threshold " + in_digits(region.threshold_us) + ")";
}

std::string verdict(const RegionRecord& region) {
  std::string text = "-> " + (region.decision.empty() ? std::string("no decision") : region.decision);
  if (!region.reason.empty())
    text += ": " + region.reason;
  return text;
}

std::string policy(const RegionRecord& region) {
  return region.mode.empty() ? region.policy : region.policy + " by " + region.mode;
}

std::string probes(const RegionRecord& region) {
  std::string text = "probed " + std::to_string(region.probed_visits) + "/" + std::to_string(region.most_probes);
  if (region.audits > 0)
    text += ", again " + std::to_string(region.audits);
  return text;
}

std::string faults(const RegionRecord& region) {
  const auto of_kind = [&](uint64_t NodeRecord::*kind) {
    return of_each_node(region, "/", [kind](const NodeRecord& n) { return std::to_string(n.*kind); });
  };
  std::string text = "faults " + of_kind(&NodeRecord::faults);
  const bool by_kind = std::any_of(region.nodes.begin(), region.nodes.end(), [](const NodeRecord& n) {
    return n.read_misses + n.write_misses + n.write_upgrades + n.asked_locks > 0;
  });
  const bool with_locks =
      std::any_of(region.nodes.begin(), region.nodes.end(), [](const NodeRecord& n) { return n.asked_locks > 0; });
  if (by_kind)
    text += " (read " + of_kind(&NodeRecord::read_misses) + " write " + of_kind(&NodeRecord::write_misses) +
            " upgrade " + of_kind(&NodeRecord::write_upgrades) +
            (with_locks ? " lock " + of_kind(&NodeRecord::asked_locks) : "") + ")";
  return text;
}

std::string cache_misses(const RegionRecord& region) {
  const auto counted = [](const NodeRecord& n) { return n.misses_per_kilo_instruction >= 0; };
  if (std::none_of(region.nodes.begin(), region.nodes.end(), counted))
    return "";
  return "misses/1000 " + of_each_node(region, "/", [&](const NodeRecord& n) {
           return counted(n) ? in_digits(n.misses_per_kilo_instruction) : std::string("?");
         });
}

std::string prediction(const RegionRecord& region) {
  const std::vector<double>& times = region.predicted_us_per_iteration;
  if (times.empty())
    return "";
  std::string text = "predicted us/iteration ";
  for (size_t node = 0; node + 1 < times.size(); ++node)
    text += (node == 0 ? "" : "/") + in_digits(times[node]);
  return text + " chosen " + in_digits(times.back());
}

Row row_of(const RegionRecord& region) {
  const bool probed = region.probed_visits > 0 && !region.nodes.empty();
  const auto each_node = [&](const char* name, const char* separator, auto value) {
    return name + of_each_node(region, separator, value);
  };
  Row row;
  row.push_back(region_name(region));
  row.push_back(policy(region));
  row.push_back("trips " + std::to_string(region.trips));
  row.push_back("visits " + std::to_string(region.visits));
  row.push_back(probes(region));
  row.push_back(region.exchanges > 0 ? "exchanges " + std::to_string(region.exchanges) : "");
  row.push_back(each_node("threads ", "+", [](const NodeRecord& n) { return std::to_string(n.threads); }));
  row.push_back(probed ? each_node("node us ", "/", [](const NodeRecord& n) { return in_digits(n.mean_us); }) : "");
  row.push_back(probed ? faults(region) : "");
  row.push_back(probed ? each_node("CSR ", ":", [](const NodeRecord& n) { return in_digits(n.speed); }) : "");
  row.push_back(probed ? cache_misses(region) : "");
  row.push_back(fault_period(region));
  row.push_back(prediction(region));
  row.push_back(region.total_us > 0 ? "total " + in_digits(region.total_us / 1000) + " ms" : "");
  row.push_back(verdict(region));
  return row;
}

/// Pads every column but the last to its widest cell, within reason; drops columns that are empty in every row.
std::string in_columns(const std::vector<Row>& rows) {
  constexpr size_t widest = 120; // one long name is not to widen the lines of all others
  std::vector<size_t> widths(rows.empty() ? 0 : rows[0].size(), 0);
  for (const Row& row : rows)
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::min(std::max(widths[i], row[i].size()), widest);
  std::string text;
  for (const Row& row : rows) {
    std::string line = "hetmp: region";
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0)
        continue;
      line += (i == 0 ? " " : "  ") + row[i];
      if (i + 1 < widths.size() && row[i].size() < widths[i])
        line.append(widths[i] - row[i].size(), ' ');
    }
    text += line + "\n";
  }
  return text;
}

} // namespace

std::string tasks_in_words(const TaskTotals& tasks) {
  std::string text;
  if (tasks.offered > 0)
    text = "offered to other nodes " + std::to_string(tasks.offered) + ", executed there " +
           std::to_string(tasks.executed_elsewhere) + ", in " + in_digits(tasks.elsewhere_us / 1000) + " ms";
  if (!tasks.kept_because.empty())
    text += (text.empty() ? "" : "; ") + ("each stays on its node: " + tasks.kept_because);
  return text;
}

std::string format_text(const Report& given) {
  const Report report = printable(given);
  const size_t count = report.regions.size();
  std::string text = "hetmp: report: " + std::to_string(report.nodes) + (report.nodes == 1 ? " node, " : " nodes, ") +
                     std::to_string(count) + (count == 1 ? " region" : " regions") +
                     (count == 0 ? "\n" : " (CSR = core speed ratio, slowest node 1; node us = probe time a thread)\n");
  if (!report.interconnect.empty())
    text += "hetmp: nodes are connected by " + report.interconnect + "\n";
  if (!report.regions.empty() && !report.threshold_from.empty())
    text += "hetmp: threshold: " + in_digits(report.regions[0].threshold_us) + " us (" + report.threshold_from + ")\n";
  if (!report.counters.empty())
    text += "hetmp: counters: " + report.counters + "\n";
  if (const std::string tasks = tasks_in_words(report.tasks); !tasks.empty())
    text += "hetmp: tasks: " + tasks + "\n";
  std::vector<Row> rows;
  for (const RegionRecord& region : report.regions)
    rows.push_back(row_of(region));
  return text + format_placement(report) + in_columns(rows) + format_pages(report);
}

} // namespace hetmp::perf
