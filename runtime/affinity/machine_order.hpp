// The machine's CPUs next to each other, or far from each other: the order of KMP_AFFINITY's compact and scatter. Pure.
#pragma once

#include "runtime/affinity/place_list.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace hetmp::affinity {

/// Where a CPU is: the number of its socket, of its core within that, of itself within the core.
struct CpuPosition {
  int cpu = 0;
  std::array<uint32_t, 3> number{};
  bool operator==(const CpuPosition&) const = default;
};

/// Of `cpus` (ascending), socket by socket, core by core. CPUs in no socket, or no core, count as one each.
std::vector<CpuPosition> cpu_positions(const std::vector<Place>& sockets, const std::vector<Place>& cores,
                                       const std::vector<int>& cpus);

/// Sorts by levels: first by the `inverted` (at most 2) lowest ones, the lowest first, then by the others from the top.
/// So 0 puts neighbours side by side (compact), 2 keeps them as far apart as can be (scatter).
std::vector<CpuPosition> in_order(std::vector<CpuPosition> positions, uint32_t inverted);

/// What `inverted` has to be for these types with a permute number.
uint32_t inverted_of_compact(uint32_t permute);
uint32_t inverted_of_scatter(uint32_t permute);

/// The groups, each where the first of its CPUs comes in the order, without CPUs that are not in it, and the first
/// `offset` of them at the end. CPUs in no group are places of their own.
std::vector<Place> groups_in_order(const std::vector<Place>& groups, const std::vector<CpuPosition>& order,
                                   uint32_t offset);

} // namespace hetmp::affinity
