#include "schedulers/policies/node_regions.hpp"

#include "schedulers/arithmetic/split.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::schedulers {

NodeRegions::NodeRegions(uint32_t nodes, uint64_t trips) : regions_(std::max(nodes, 1u)), left_(trips) {
  regions_[0].put(Range{0, trips});
}

void NodeRegions::divide(const std::vector<double>& weight, uint32_t otherwise, Range range) {
  IterationSet all;
  for (IterationSet& region : regions_)
    all.put(region.take(range));
  if (std::none_of(weight.begin(), weight.end(), [](double w) { return w > 0; })) {
    regions_[otherwise].put(all);
    return;
  }
  const std::vector<uint32_t> once(regions_.size(), 1); // the weights are those of whole nodes
  const std::vector<Range> shares =
      split_by_speed({0, all.size()}, weight.data(), once.data(), static_cast<uint32_t>(regions_.size()));
  for (size_t i = 0; i < regions_.size(); ++i)
    regions_[i].put(all.take_front(shares[i].size()));
}

void NodeRegions::give(uint32_t node, Range range) {
  IterationSet given;
  for (IterationSet& region : regions_)
    given.put(region.take(range));
  regions_[node].put(given);
}

void NodeRegions::move_back(uint32_t from, uint32_t to, uint64_t count) {
  if (from != to)
    regions_[to].put(regions_[from].take_back(count));
}

uint64_t NodeRegions::take(uint32_t node, uint64_t count, Assignment& assignment) {
  uint64_t taken = 0;
  while (taken < count && !regions_[node].empty()) {
    const Range first = regions_[node].ranges().front();
    const uint64_t size = std::min(count - taken, first.size());
    if (!assignment.add({first.begin, first.begin + size}))
      break;
    regions_[node].take_front(size);
    taken += size;
  }
  left_ -= taken;
  return taken;
}

} // namespace hetmp::schedulers
