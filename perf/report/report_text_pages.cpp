// What the text says about pages.
#include "perf/report/report.hpp"
#include "perf/report/report_text.hpp"

#include <charconv>

namespace hetmp::perf {
namespace {

constexpr size_t most_lines = 16;

std::string counted(uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + (count == 1 ? one : several);
}

std::string faults_of_node(size_t node, const NodeFaultTotals& totals) {
  std::string text = "hetmp: faults of node " + std::to_string(node) + ": ";
  if (!totals.known)
    return text + "not told in time\n";
  return text + "read " + std::to_string(totals.read_misses) + ", write " + std::to_string(totals.write_misses) +
         ", upgrade " + std::to_string(totals.write_upgrades) + "; waited " + in_digits(totals.waited_us / 1000) +
         " ms, received " + in_digits(double(totals.bytes_received) / (1 << 20)) + " MiB, lost " +
         counted(totals.invalidations, " copy\n", " copies\n");
}

std::string line_about(const BouncingPages& pages) {
  return "hetmp: bouncing: " + what_bounces(pages) + ": written in turns by " + writers_of(pages) + ", " +
         counted(pages.turns, " turn", " turns") + ", " + counted(pages.faults(), " fault", " faults") + ", " +
         in_digits(pages.waited_us / 1000) + " ms waited; " + verdict_on(pages) + "; in " + regions_of(pages) +
         (pages.pages == 1 ? "; page " : "; " + std::to_string(pages.pages) + " pages from ") +
         hexadecimal(pages.address) + "\n";
}

} // namespace

std::string hexadecimal(uint64_t value) {
  char digits[20] = "0x";
  return {digits, std::to_chars(digits + 2, digits + sizeof digits, value, 16).ptr};
}

std::string what_bounces(const BouncingPages& pages) {
  std::string text;
  for (const std::string& name : pages.holds)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "memory without a name" : text;
}

std::string verdict_on(const BouncingPages& pages) {
  switch (pages.words) {
  case BouncingPages::Words::Different:
    return "false sharing: no word was seen written by two nodes";
  case BouncingPages::Words::Same:
    return "nodes write the same words";
  case BouncingPages::Words::Unknown:
    break;
  }
  return "which words is not known";
}

std::string writers_of(const BouncingPages& pages) {
  std::string text;
  for (const BouncingWriter& writer : pages.writers) {
    text += (text.empty() ? "node " : ", node ") + std::to_string(writer.node);
    if (writer.first <= writer.last)
      text += " (bytes " + std::to_string(writer.first) + "-" + std::to_string(writer.last) + ")";
  }
  return text;
}

std::string regions_of(const BouncingPages& pages) {
  std::string text;
  for (const RegionTurns& region : pages.regions)
    text += (text.empty() ? "" : ", ") + (region.region.empty() ? "no parallel region" : region.region) + " (" +
            std::to_string(region.turns) + ")";
  return text;
}

std::string format_pages(const Report& report) {
  std::string text;
  for (size_t node = 0; node < report.totals.size(); ++node)
    text += faults_of_node(node, report.totals[node]);
  for (size_t i = 0; i < report.bouncing.size() && i < most_lines; ++i)
    text += line_about(report.bouncing[i]);
  if (report.bouncing.size() > most_lines)
    text += "hetmp: bouncing: and " + std::to_string(report.bouncing.size() - most_lines) + " more\n";
  return text;
}

} // namespace hetmp::perf
