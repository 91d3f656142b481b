#include "runtime/process/kind_nodes.hpp"

#include <algorithm>
#include <iterator>

namespace hetmp::runtime {

using affinity::CoreKind;

namespace {

/// The kinds with the CPUs of `allowed` only.
std::vector<CoreKind> available_kinds(const std::vector<CoreKind>& kinds, const std::vector<int>& allowed) {
  std::vector<CoreKind> available;
  for (const CoreKind& kind : kinds) {
    CoreKind left = kind;
    left.cpus.clear();
    std::set_intersection(kind.cpus.begin(), kind.cpus.end(), allowed.begin(), allowed.end(),
                          std::back_inserter(left.cpus));
    if (!left.cpus.empty())
      available.push_back(std::move(left));
  }
  return available;
}

/// By the first figure that all kinds have: a capacity is made for comparisons, frequencies of different kinds are not
/// quite.
std::vector<double> speeds_of(const std::vector<CoreKind>& kinds) {
  for (double CoreKind::*figure : {&CoreKind::capacity, &CoreKind::max_mhz, &CoreKind::base_mhz}) {
    std::vector<double> speeds;
    for (const CoreKind& kind : kinds)
      speeds.push_back(kind.*figure);
    const double slowest = *std::min_element(speeds.begin(), speeds.end());
    if (!(slowest > 0))
      continue;
    for (double& speed : speeds)
      speed /= slowest;
    return speeds;
  }
  return {};
}

/// The fastest first: by speeds, or by the machine's own order where that is all it tells.
void sort_by_speed(std::vector<CoreKind>& kinds, std::vector<double>& speeds) {
  std::vector<size_t> order(kinds.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return speeds.empty() ? kinds[a].rank > kinds[b].rank : speeds[a] > speeds[b];
  });
  std::vector<CoreKind> sorted;
  std::vector<double> sorted_speeds;
  for (const size_t i : order) {
    sorted.push_back(std::move(kinds[i]));
    if (!speeds.empty())
      sorted_speeds.push_back(speeds[i]);
  }
  kinds = std::move(sorted);
  speeds = std::move(sorted_speeds);
}

void add_others(const std::vector<int>& allowed, std::vector<std::vector<int>>& nodes) {
  std::vector<int> named;
  for (const std::vector<int>& cpus : nodes)
    named.insert(named.end(), cpus.begin(), cpus.end());
  std::sort(named.begin(), named.end());
  std::set_difference(allowed.begin(), allowed.end(), named.begin(), named.end(), std::back_inserter(nodes.back()));
  std::sort(nodes.back().begin(), nodes.back().end());
}

} // namespace

KindNodes nodes_of_kinds(const std::vector<CoreKind>& kinds, const std::vector<int>& allowed) {
  std::vector<CoreKind> available = available_kinds(kinds, allowed);
  if (available.size() < 2)
    return {{allowed}, {}};
  KindNodes result;
  result.speeds = speeds_of(available);
  sort_by_speed(available, result.speeds);
  for (CoreKind& kind : available)
    result.cpus.push_back(std::move(kind.cpus));
  add_others(allowed, result.cpus);
  return result;
}

} // namespace hetmp::runtime
