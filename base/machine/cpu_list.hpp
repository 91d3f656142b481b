// Sets of CPUs as people write them: "0-3,8".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp {

/// Ascending, without repetitions; nothing when malformed or empty. CPU numbers run from 0 to 4095.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

std::string format_cpu_list(const std::vector<int>& cpus);

/// Several lists, each but perhaps the last one followed by a semicolon; nothing when one of them is malformed or
/// empty.
std::optional<std::vector<std::vector<int>>> parse_cpu_lists(std::string_view text);

/// Each list followed by a semicolon.
std::string format_cpu_lists(const std::vector<std::vector<int>>& lists);

/// The CPUs the calling thread may run on.
std::vector<int> allowed_cpus();

/// Restricts the calling thread to `cpus`; false if the kernel refuses (the thread then stays where it was).
bool bind_thread(const std::vector<int>& cpus);

} // namespace hetmp
