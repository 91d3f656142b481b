// Which CPUs belong to which of the processes that somebody else has started.
#pragma once

#include <string>
#include <vector>

namespace hetmp::launch {

/// The CPUs of each node, given its host and the CPUs its process may use. Where these have nothing in common on a host
/// its launcher has divided them, and that stands; else they are divided here, evenly. Empty, with a phrase in `error`,
/// if that is impossible.
std::vector<std::vector<int>> share_cpus(const std::vector<std::string>& hosts,
                                         const std::vector<std::vector<int>>& available, std::string& error);

} // namespace hetmp::launch
