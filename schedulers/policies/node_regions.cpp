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
  if (from == to)
    return;
  IterationSet& owner = regions_[from];
  regions_[to].put(takes_from_end(from) ? owner.take_front(count) : owner.take_back(count));
}

uint64_t NodeRegions::take(uint32_t node, uint64_t count, Assignment& assignment) {
  IterationSet& region = regions_[node];
  const bool from_end = takes_from_end(node);
  IterationSet taken = from_end ? region.take_back(count) : region.take_front(count);
  while (taken.ranges().size() > Assignment::most_pieces)
    region.put(from_end ? taken.take_front(taken.ranges().front().size())
                        : taken.take_back(taken.ranges().back().size()));
  for (const Range& piece : taken.ranges())
    assignment.add(piece);
  left_ -= taken.size();
  return taken.size();
}

} // namespace hetmp::schedulers
