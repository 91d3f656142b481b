// `hetmp calibrate`: measures the interconnect between nodes and writes what it finds into the profile.
#pragma once

#include "dsm/transports.hpp"

#include <optional>
#include <string>

namespace hetmp::tool {

/// As given on the command line.
struct CalibrateOptions {
  std::string nodes = "2";
  std::string transport{dsm::usual_transport().name};
  std::optional<std::string> svg; ///< file for the picture; beside the profile if not given
  bool quick = false;
};

/// What is wrong with the options, one phrase; empty if nothing is.
std::string check_calibration(const CalibrateOptions& options);

/// "profile.svg" for "profile.json".
std::string picture_beside(const std::string& profile);

/// Measures, prints, writes. Returns the exit code; anything but 0 has been explained by one line.
int calibrate(const CalibrateOptions& options);

} // namespace hetmp::tool
