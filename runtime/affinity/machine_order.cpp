#include "runtime/affinity/machine_order.hpp"

#include <algorithm>
#include <map>

namespace hetmp::affinity {
namespace {

constexpr uint32_t lower_levels = 2; ///< below the top one

/// The groups with the CPUs of `cpus` only; those in no group are added, each a group.
std::vector<Place> divided(const std::vector<int>& cpus, const std::vector<Place>& groups) {
  int missing;
  std::vector<Place> parts = restrict_to(groups, cpus, missing);
  Place covered;
  for (const Place& part : parts)
    covered.insert(covered.end(), part.begin(), part.end());
  std::sort(covered.begin(), covered.end());
  for (const int cpu : cpus)
    if (!std::binary_search(covered.begin(), covered.end(), cpu))
      parts.push_back({cpu});
  return parts;
}

} // namespace

std::vector<CpuPosition> cpu_positions(const std::vector<Place>& sockets, const std::vector<Place>& cores,
                                       const std::vector<int>& cpus) {
  std::vector<CpuPosition> positions;
  uint32_t socket_number = 0;
  for (const Place& socket : divided(cpus, sockets)) {
    uint32_t core_number = 0;
    for (const Place& core : divided(socket, cores)) {
      uint32_t number = 0;
      for (const int cpu : core)
        positions.push_back({cpu, {socket_number, core_number, number++}});
      ++core_number;
    }
    ++socket_number;
  }
  return positions;
}

std::vector<CpuPosition> in_order(std::vector<CpuPosition> positions, uint32_t inverted) {
  inverted = std::min(inverted, lower_levels);
  const auto key = [&](const CpuPosition& position) {
    std::array<uint32_t, 3> numbers;
    for (uint32_t i = 0; i < numbers.size(); ++i)
      numbers[i] = position.number[i < inverted ? lower_levels - i : i - inverted];
    return numbers;
  };
  std::stable_sort(positions.begin(), positions.end(),
                   [&](const CpuPosition& a, const CpuPosition& b) { return key(a) < key(b); });
  return positions;
}

uint32_t inverted_of_compact(uint32_t permute) { return std::min(permute, lower_levels); }

uint32_t inverted_of_scatter(uint32_t permute) { return permute > lower_levels ? 0 : lower_levels - permute; }

std::vector<Place> groups_in_order(const std::vector<Place>& groups, const std::vector<CpuPosition>& order,
                                   uint32_t offset) {
  std::vector<int> cpus;
  cpus.reserve(order.size());
  for (const CpuPosition& position : order)
    cpus.push_back(position.cpu);
  std::sort(cpus.begin(), cpus.end());
  const std::vector<Place> parts = divided(cpus, groups);
  std::map<int, size_t> part_of;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const int cpu : parts[i])
      part_of.emplace(cpu, i);
  std::vector<Place> places;
  std::vector<bool> taken(parts.size());
  for (const CpuPosition& position : order) {
    const size_t part = part_of[position.cpu];
    if (!taken[part])
      places.push_back(parts[part]);
    taken[part] = true;
  }
  if (!places.empty())
    std::rotate(places.begin(), places.begin() + std::ptrdiff_t(offset % places.size()), places.end());
  return places;
}

} // namespace hetmp::affinity
