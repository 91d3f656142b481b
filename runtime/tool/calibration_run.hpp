// The calibration program as a child process.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hetmp::tool {

/// Runs it on `nodes` node processes of this machine, connected by `transport`, and hands over its output line by line,
/// as it comes. False, after one line, if it cannot be run or does not end well. What the user set for OpenMP programs
/// has no influence on it.
bool run_calibration(int nodes, const std::string& transport, bool quick,
                     const std::function<void(std::string_view)>& take_line);

} // namespace hetmp::tool
