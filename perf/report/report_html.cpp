// The report as one page for a browser. It is XHTML, so that any parser of XML can check it.
#include "perf/report/report_html.hpp"

#include "perf/report/printable.hpp"
#include "perf/report/report.hpp"
#include "perf/report/report_utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace hetmp::perf {
namespace {

constexpr std::string_view style =
    "body{font:15px/1.45 Helvetica,Arial,sans-serif;color:#222;max-width:1080px;margin:2em auto;padding:0 "
    "1em}\n"
    "h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92em}\n"
    "th,td{text-align:left;vertical-align:top;padding:.35em .8em .35em 0;border-bottom:1px solid #ddd}\n"
    "td.n,th.n{text-align:right}\n"
    "code{font-family:Menlo,Consolas,monospace;font-size:.92em}\n"
    ".loss{color:#b33000}.quiet{color:#666}\n"
    "svg{display:block;max-width:100%;height:auto}svg text{font:13px Helvetica,Arial,sans-serif;fill:#222}\n"
    ".legend span{display:inline-block;width:.9em;height:.9em;margin:0 .4em 0 1.2em}\n";

std::string cell(const std::string& text, const char* kind = "") {
  return std::string("<td") + (*kind ? std::string(" class=\"") + kind + "\"" : std::string()) + ">" + escaped(text) +
         "</td>";
}

std::string of_nodes(const RegionRecord& region, const char* separator, std::string (*value)(const NodeRecord&)) {
  std::string text;
  for (const NodeRecord& node : region.nodes)
    text += (text.empty() ? "" : separator) + value(node);
  return text;
}

std::string row_of(const RegionRecord& region) {
  const bool probed = region.probed_visits > 0;
  std::string period = "not measured";
  if (probed)
    period = std::isinf(region.fault_period_us) ? "no faults" : in_digits(region.fault_period_us) + " us";
  std::string predicted;
  for (const double us : region.predicted_us_per_iteration)
    predicted += (predicted.empty() ? "" : " / ") + in_digits(us);
  std::string row =
      "<tr>" + cell(region_name(region)) + cell(region.policy + (region.mode.empty() ? "" : " by " + region.mode));
  row += cell(std::to_string(region.visits) + ", " + std::to_string(region.probed_visits) + " probed", "n");
  row += cell(std::to_string(region.trips), "n");
  row += cell(probed ? of_nodes(region, " : ", [](const NodeRecord& n) { return in_digits(n.speed); }) : "", "n");
  row += cell(probed ? of_nodes(region, " / ", [](const NodeRecord& n) { return std::to_string(n.faults); }) : "", "n");
  row += cell(period, "n") + cell(probed ? in_digits(region.threshold_us) + " us" : "", "n") + cell(predicted, "n");
  const std::string decision = region.decision.empty() ? "no decision" : region.decision;
  row += "<td><strong>" + escaped(decision) + "</strong>" +
         (region.reason.empty() ? "" : ": " + escaped(region.reason)) + "</td>";
  return row + "</tr>\n";
}

std::string decisions(const Report& report) {
  if (report.regions.empty())
    return "<p class=\"quiet\">No loop was placed on nodes.</p>\n";
  std::string text =
      "<h2>Loops and decisions</h2>\n<table>\n<tr><th>loop</th><th>policy</th><th class=\"n\">visits</th>"
      "<th class=\"n\">iterations</th><th class=\"n\">core speed ratio</th><th class=\"n\">faults "
      "(probe)</th>"
      "<th class=\"n\">fault period</th><th class=\"n\">threshold</th>"
      "<th class=\"n\">predicted us/iteration (nodes / chosen)</th><th>decision</th></tr>\n";
  for (const RegionRecord& region : report.regions)
    text += row_of(region);
  return text + "</table>\n";
}

std::string times(const Report& report) {
  Bars of_regions("ms"), of_nodes("ms");
  bool any = false, probes = false;
  for (const RegionRecord& region : report.regions) {
    if (region.total_us > 0) {
      any = true;
      of_regions.begin(region_name(region));
      of_regions.part(0, "all visits", region.total_us / 1000);
    }
    if (region.probed_visits == 0)
      continue;
    for (size_t node = 0; node < region.nodes.size(); ++node)
      if (region.nodes[node].threads > 0) {
        probes = true;
        of_nodes.begin(region_name(region) + ", node " + std::to_string(node));
        of_nodes.part(node, "mean of " + std::to_string(region.nodes[node].threads) + " threads",
                      region.nodes[node].mean_us / 1000);
      }
  }
  std::string text;
  if (any)
    text += "<h2>Time in loops</h2>\n<p>Over all visits.</p>\n" + of_regions.drawn();
  if (probes)
    text += "<h2>Time by node and loop</h2>\n<p>Of the last probe, mean over the node's threads: the same "
            "share for every "
            "thread, so the bars show the nodes' speeds.</p>\n" +
            of_nodes.drawn();
  return text;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char first = text[0];
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || (is_control(character) && first != '\n' && first != '\t'))
      result += "\xef\xbf\xbd"; // U+FFFD
    else if (first == '<' || first == '>' || first == '&' || first == '"' || first == '\'')
      result += "&#" + std::to_string(int(first)) + ";";
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

std::string length_of(double value) {
  char digits[32];
  const auto [end, problem] =
      std::to_chars(digits, digits + sizeof digits, std::isfinite(value) ? value : 0, std::chars_format::fixed, 2);
  return problem == std::errc{} ? std::string(digits, end) : "0";
}

const char* colour(size_t index) {
  static constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};
  return colours[index % colours.size()];
}

double Bars::Line::sum() const {
  double sum = 0;
  for (const Part& part : parts)
    sum += part.value;
  return sum;
}

std::string Bars::drawn() const {
  constexpr double label_width = 320, bar_width = 600, line_height = 24, bar_height = 16, width = 1040;
  double largest = 0;
  for (const Line& line : lines_)
    largest = std::max(largest, line.sum());
  const std::string height = length_of(line_height * double(lines_.size()));
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + length_of(width) + " " + height +
                     "\" width=\"" + length_of(width) + "\" height=\"" + height + "\">\n";
  double y = 0;
  for (const Line& line : lines_) {
    double x = label_width;
    text += "<text x=\"" + length_of(label_width - 10) + "\" y=\"" + length_of(y + 13) + "\" text-anchor=\"end\">" +
            escaped(line.label) + "</text>";
    for (const Part& part : line.parts) {
      const double length = largest > 0 ? part.value / largest * bar_width : 0;
      text += "<rect x=\"" + length_of(x) + "\" y=\"" + length_of(y) + "\" width=\"" + length_of(length) +
              "\" height=\"" + length_of(bar_height) + "\" fill=\"" + colour(part.index) + "\"><title>" +
              escaped(part.name + ": " + in_digits(part.value) + " " + unit_) + "</title></rect>";
      x += length;
    }
    text += "<text x=\"" + length_of(x + 8) + "\" y=\"" + length_of(y + 13) + "\">" +
            escaped(in_digits(line.sum()) + " " + unit_) + "</text>\n";
    y += line_height;
  }
  return text + "</svg>\n";
}

std::string format_html(const Report& report) {
  std::string text = "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\"/>\n<title>hetmp report</title>\n<style>\n";
  text += style;
  text += "</style>\n</head>\n<body>\n<h1>hetmp report</h1>\n<p>" + std::to_string(report.nodes) +
          (report.nodes == 1 ? " node, " : " nodes, ") + std::to_string(report.regions.size()) +
          (report.regions.size() == 1 ? " loop" : " loops");
  if (report.elapsed_us > 0)
    text += ", " + (report.elapsed_us < 1e6 ? in_digits(report.elapsed_us / 1e3) + " ms"
                                            : in_digits(report.elapsed_us / 1e6) + " s");
  text += ".</p>\n";
  if (!report.interconnect.empty())
    text += "<p>Nodes are connected by " + escaped(report.interconnect) + ".</p>\n";
  if (!report.regions.empty() && !report.threshold_from.empty())
    text += "<p>Threshold of fault periods: " + in_digits(report.regions[0].threshold_us) + " us (" +
            escaped(report.threshold_from) + ").</p>\n";
  if (!report.counters.empty())
    text += "<p>Hardware counters: " + escaped(report.counters) + ".</p>\n";
  if (const std::string tasks = tasks_in_words(report.tasks); !tasks.empty())
    text += "<p>Tasks: " + escaped(tasks) + ".</p>\n";
  text += html_of_placement(report) + html_of_bouncing(report) + decisions(report) + times(report) +
          html_of_faults(report) + html_of_heat(report);
  return text + "</body>\n</html>\n";
}

} // namespace hetmp::perf
