#include "schedulers/arithmetic/deal.hpp"

#include <algorithm>
#include <utility>

namespace hetmp::schedulers {
namespace {

std::vector<size_t> participants_of(size_t nodes, NodeSet participants) {
  std::vector<size_t> members;
  for (const uint32_t node : participants)
    if (node < nodes)
      members.push_back(node);
  return members;
}

} // namespace

std::vector<uint32_t> deal_threads(uint32_t total, const std::vector<uint32_t>& cpus_per_node, NodeSet participants) {
  std::vector<uint32_t> threads(cpus_per_node.size(), 0);
  const std::vector<size_t> members = participants_of(cpus_per_node.size(), participants);
  if (total <= members.size()) {
    for (size_t i = 0; i < total; ++i)
      threads[members[i]] = 1;
    return threads;
  }
  uint64_t cpus = 0;
  for (const size_t node : members)
    cpus += std::max(cpus_per_node[node], 1u);
  std::vector<std::pair<uint64_t, size_t>> remainders;
  uint32_t dealt = 0;
  for (const size_t node : members) {
    const uint64_t product = uint64_t(total) * std::max(cpus_per_node[node], 1u);
    threads[node] = static_cast<uint32_t>(product / cpus);
    dealt += threads[node];
    remainders.push_back({product % cpus, node});
  }
  std::stable_sort(remainders.begin(), remainders.end(), [](auto& a, auto& b) { return a.first > b.first; });
  for (size_t i = 0; dealt < total && i < remainders.size(); ++i, ++dealt)
    threads[remainders[i].second]++;
  for (const size_t node : members) {
    if (threads[node] != 0)
      continue;
    --*std::max_element(threads.begin(), threads.end()); // has at least 2: more threads than members, and one has none
    threads[node] = 1;
  }
  return threads;
}

NodeSet nodes_with_threads(const std::vector<uint32_t>& threads) {
  NodeSet nodes;
  for (uint32_t node = 0; node < std::min<size_t>(threads.size(), most_nodes); ++node)
    if (threads[node] != 0)
      nodes.add(node);
  return nodes;
}

} // namespace hetmp::schedulers
