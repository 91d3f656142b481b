// The levels of a machine by which OMP_PLACES can divide its CPUs.
#pragma once

#include <cstdint>

namespace hetmp::affinity {

/// From the smallest group of CPUs to the largest.
enum class TopologyLevel : uint8_t { Threads, Cores, LastLevelCaches, NumaDomains, Sockets };

} // namespace hetmp::affinity
