// `hetmp calibrate`: measures the interconnect between nodes and writes what it finds into the profile.
#pragma once

#include <optional>
#include <string>

namespace hetmp::tool {

/// As given on the command line.
struct CalibrateOptions {
  std::optional<std::string> nodes;        ///< 2 if neither these nor hosts are given
  std::optional<std::string> hosts;        ///< one for each node, as for `hetmp run`
  std::optional<std::string> remote_shell; ///< what reaches them, instead of ssh
  std::optional<std::string> transport;    ///< else the usual one, on one machine or over hosts
  std::optional<std::string> svg;          ///< file for the picture; beside the profile if not given
  bool quick = false;
};

/// What is wrong with the options, one phrase; empty if nothing is.
std::string check_calibration(const CalibrateOptions& options);

/// "profile.svg" for "profile.json".
std::string picture_beside(const std::string& profile);

/// Measures, prints, writes. Returns the exit code; anything but 0 has been explained by one line.
int calibrate(const CalibrateOptions& options);

} // namespace hetmp::tool
