// For how long CPUs of this machine had nothing to execute, whoever it was that they could have worked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hetmp {

/// In sum, since the machine began; microseconds, which grow by clock ticks. Nothing where /proc does not tell.
std::optional<double> idle_us_of(const std::vector<int>& cpus);

/// What that takes from the text of /proc/stat, in clock ticks.
std::optional<uint64_t> stat_says_idle_ticks(std::string_view text, const std::vector<int>& cpus);

} // namespace hetmp
