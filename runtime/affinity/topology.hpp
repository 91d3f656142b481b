// The machine's CPUs by level, from a plugin that is loaded on demand.
#pragma once

#include "runtime/affinity/place_list.hpp"

namespace hetmp::affinity {

/// A place for each group of CPUs of the level; of threads: one for each CPU of `available`, no plugin needed. Empty,
/// and why, if it cannot be had.
std::vector<Place> places_of_level(TopologyLevel level, const std::vector<int>& available, std::string& problem);

} // namespace hetmp::affinity
