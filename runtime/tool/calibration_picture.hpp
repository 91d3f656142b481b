// The picture of a calibration, as the paper's figure 5: SVG 1.1, readable by any browser. A pure function.
#pragma once

#include "perf/profile.hpp"

#include <string>
#include <vector>

namespace hetmp::tool {

/// A curve for each entry: throughput, time between faults with the threshold, and gain, over operations per
/// byte; all axes are logarithmic. Points that have no place there are left out.
std::string draw_calibration(const std::vector<perf::ProfileEntry>& entries);

} // namespace hetmp::tool
