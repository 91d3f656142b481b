// How much CPU time the control groups of this process grant it, versions 1 and 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hetmp {

/// In CPUs; nothing when unlimited. The smallest of its group and all groups above. `root` stands before /proc and /sys
/// (tests).
std::optional<double> cpu_quota(const std::string& root = "");

/// The quota in the text of cgroup v2's cpu.max ("200000 100000" is 2); nothing for "max" or what is malformed.
std::optional<double> parse_cpu_max(std::string_view text);

} // namespace hetmp
