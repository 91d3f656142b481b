// What the report says about where parallel regions ran. Pure: what is known comes in, the record goes out.
#pragma once

#include "perf/report/placement_record.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/regions/placing.hpp"

namespace hetmp::runtime {

/// The regions have no source and no place yet: who reads those asks the program.
perf::PlacementRecord placement_record(const placing::Knowledge& knowledge, const RegionChoice& choice);

} // namespace hetmp::runtime
