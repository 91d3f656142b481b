// The report: what the runtime learned about the program's loops and what it decided, as text or JSON.
#pragma once

#include "perf/region_record.hpp"

#include <string>
#include <string_view>

namespace hetmp::perf {

/// A header line, then one line a region in aligned columns; every line starts with "hetmp: ".
std::string format_text(const Report& report);

/// One JSON object: {"version":1,"nodes":N,"regions":[...]}, times in microseconds, null for a fault period
/// without faults. Bytes that are not UTF-8 become U+FFFD.
std::string format_json(const Report& report);

/// Writes the report: destination "1" means text on standard error; a name that ends in ".json" gets JSON,
/// any other name text. False, after one line on standard error, if the file cannot be written.
bool write_report(const Report& report, std::string_view destination);

} // namespace hetmp::perf
