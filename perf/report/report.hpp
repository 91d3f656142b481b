// The report: what the runtime learned about the program's loops and what it decided, as text or JSON.
#pragma once

#include "perf/report/region_record.hpp"

#include <string>
#include <string_view>

namespace hetmp::perf {

/// A header line, lines about the threshold and hardware counters if the report knows of them, then one line a region
/// in aligned columns; with node processes a line about each node's faults and one about each bouncing page or run of
/// them. Every line starts with "hetmp: ". Whatever names hold, a terminal shows it and obeys nothing.
std::string format_text(const Report& report);

/// One self-contained page of XHTML with pictures: it loads nothing and runs nothing.
std::string format_html(const Report& report);

/// "file.c:12 function", or what else tells the region from others.
std::string region_name(const RegionRecord& region);
std::string region_name(const PlacedRegion& region);
/// What became of tasks that nodes offered one another; empty if none did.
std::string tasks_in_words(const TaskTotals& tasks);
/// What decided where regions ran, and what trials cost; empty where there is one node.
std::string placement_in_words(const PlacementRecord& placement);
/// A number with as many digits as people read.
std::string in_digits(double value);
/// "12 ms": in the unit that people would choose.
std::string in_time(double microseconds);

/// One JSON object:
/// {"version":1,"nodes":N,"counters":"...","threshold_from":"...","interconnect":"...","elapsed_us":T,"tasks":{...},"placement":{...},"regions":[...],
/// "totals":[...],"bouncing":[...],"pages":[...]}. The last three are empty without node processes; their members are
/// called as in report_pages.hpp ("words": "same", "different" or "unknown"). A region has the members "file",
/// "function", "line", "column", "place", "address" (where it is); "policy", "mode" (who decides, and how); "visits",
/// "probed_visits", "most_probes", "audits", "trips", "exchanges" (counts); "nodes"; "fault_period_us", "threshold_us",
/// "predicted_us_per_iteration" (of each node alone, then of the chosen ones), "decision", "reason", "total_us". Each
/// of its nodes has "threads", "mean_us", "faults", "read_misses", "write_misses", "write_upgrades", "asked_locks",
/// "speed", "fault_period_us", "misses_per_kilo_instruction". Tasks have "offered", "executed_elsewhere",
/// "elsewhere_us", "kept_because". The members of "placement" are called as in placement_record.hpp, with "file",
/// "function", "line" and "column" for a source, and null for a time that is not known. They mean what
/// region_record.hpp says. Times are in microseconds; null stands for a fault period without faults and for cache
/// misses that were not counted. Readers should skip members that they do not know: later versions of the program add
/// some without changing "version". Bytes that are not UTF-8 become U+FFFD.
std::string format_json(const Report& report);

/// Writes the report: destination "1" means text on standard error; a name that ends in ".json" gets JSON, one that
/// ends in ".html" a page of HTML, any other name text. False, with the reason in errno, if it cannot be written.
bool write_report_to(const Report& report, std::string_view destination);
/// The same for HETMP_REPORT, with one line on standard error if the file cannot be written.
bool write_report(const Report& report, std::string_view destination);

/// False, with the reason in errno, if the file cannot be written completely.
bool write_file(const std::string& name, std::string_view text);

inline constexpr size_t largest_report = size_t(16) << 20; ///< bytes; programs write fewer than one

/// Reads what format_json() wrote, also of other versions as far as the members are known. Long names are cut. False,
/// with what is wrong in `problem` (a short phrase), if it is not such a report.
bool parse_report(std::string_view json, Report& report, std::string& problem);

} // namespace hetmp::perf
