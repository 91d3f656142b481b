// What a report says about pages: gathered from all nodes when the program ends, with names for what the pages hold
// that nodes take from each other.
#pragma once

#include "perf/report/region_record.hpp"
#include "runtime/global/team_description.hpp"

namespace hetmp::runtime::page_report {

/// Where nodes are processes, before there is more than one: there will be a report.
void watch();

/// This node's threads are in a parallel region from now on; in none. By the thread that leads the node's part.
void region_begins(const TeamDescription& part);
void region_ends();

/// On the origin, when no team runs. Adds nothing unless watch() was called.
void add_to(perf::Report& report);

} // namespace hetmp::runtime::page_report
