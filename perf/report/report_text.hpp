// Parts of the report's text that its HTML uses as well.
#pragma once

#include "perf/report/region_record.hpp"

#include <string>

namespace hetmp::perf {

/// Lines about faults and bouncing pages; empty if there is nothing to say.
std::string format_pages(const Report& report);

/// Lines about the placement of parallel regions; empty where there is one node.
std::string format_placement(const Report& report);

/// "0x7f0010".
std::string hexadecimal(uint64_t value);
/// "counters (64 bytes)", or the place.
std::string what_bounces(const BouncingPages& pages);
/// What it means that they bounce.
std::string verdict_on(const BouncingPages& pages);
/// "node 0 (bytes 0-7), node 1 (bytes 8-15)".
std::string writers_of(const BouncingPages& pages);
/// "prog.c:12 main (398), outside parallel regions (2)".
std::string regions_of(const BouncingPages& pages);

} // namespace hetmp::perf
