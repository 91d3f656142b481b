// The profile: what calibration has measured about interconnects, kept in a file (docs/profile.md) from which
// programs on several nodes take the threshold of their decisions (the paper, section 3.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::perf {

inline constexpr int profile_version = 1;
inline constexpr size_t largest_profile = size_t(1) << 20; ///< bytes; a larger file is not read

/// One point of a calibration: a node computes on pages that come from another one.
struct CalibrationPoint {
  double operations_per_byte = 0;
  double mops = 0; ///< million operations a second of the node's threads together, waiting for pages included
  double fault_period_us = 0; ///< execution (CPU time, mean over the node's threads) between two faults of the node
  double elapsed_us = 0;      ///< elapsed time between two faults of the node
  double gain = 0;            ///< time of the same work on the home alone / on both nodes
};

/// A pair of nodes over one interconnect.
struct ProfileEntry {
  std::string interconnect; ///< "shared-memory"
  uint32_t from = 0;        ///< the pages' home
  uint32_t to = 1;          ///< the node that computes on them
  double threshold_us = 0;  ///< the fault period from which the two nodes together are faster than the home alone
  double fault_us = 0;      ///< what a fault costs the thread that takes it
  std::vector<CalibrationPoint> points;
  std::string machine; ///< processor
  std::string date;    ///< UTC, "2025-01-31T12:00:00Z"
};

/// Entries, or one phrase that says why there are none.
struct Profile {
  std::vector<ProfileEntry> entries;
  std::string error;
  bool missing = false; ///< the error is that there is no such file
};

Profile parse_profile(std::string_view text);
Profile read_profile(const std::string& path);

/// The file's text. Reading it gives the same entries.
std::string format_profile(const std::vector<ProfileEntry>& entries);

/// `newer` takes the place of the entry of the same interconnect and nodes, or is added.
void merge_entry(std::vector<ProfileEntry>& entries, const ProfileEntry& newer);

/// Writes so that a reader finds the old file or the new one, and makes folders that are missing. An empty
/// text, or one phrase that says what went wrong.
std::string write_profile(const std::string& path, const std::vector<ProfileEntry>& entries);

/// $HETMP_PROFILE, else hetmp/profile.json in $XDG_CONFIG_HOME or in ~/.config; nothing if none of these is
/// set or the first is `none`, or a word for false.
std::optional<std::string> profile_path();

} // namespace hetmp::perf
