// The calibration program as a child process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hetmp::tool {

/// Where it runs, as for `hetmp run`: `nodes` are node processes of this machine, and `hosts` are reached by the remote
/// shell.
struct CalibratedNodes {
  std::optional<std::string> nodes;
  std::optional<std::string> hosts;
  std::optional<std::string> remote_shell;
  std::string transport;
};

/// Runs it there and hands over its output line by line, as it comes. False, after one line, if it cannot be run or
/// does not end well. What the user set for OpenMP programs has no influence on it.
bool run_calibration(const CalibratedNodes& where, bool quick, const std::function<void(std::string_view)>& take_line);

} // namespace hetmp::tool
