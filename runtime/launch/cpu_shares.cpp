#include "runtime/launch/cpu_shares.hpp"

#include "runtime/launch/hosts.hpp"

#include <set>
#include <utility>

namespace hetmp::launch {

std::vector<std::vector<int>> share_cpus(const std::vector<std::string>& hosts,
                                         const std::vector<std::vector<int>>& available, std::string& error) {
  std::vector<Host> nodes;
  for (const std::string& name : hosts)
    nodes.push_back({name, 0});
  std::vector<std::vector<int>> result = deal_cpus(nodes, available, error);
  if (!error.empty())
    return {};
  std::set<std::string> undivided;
  std::set<std::pair<std::string, int>> taken;
  for (size_t i = 0; i < hosts.size(); ++i)
    for (const int cpu : available[i])
      if (!taken.emplace(hosts[i], cpu).second)
        undivided.insert(hosts[i]);
  for (size_t i = 0; i < hosts.size(); ++i)
    if (!undivided.contains(hosts[i]))
      result[i] = available[i];
  return result;
}

} // namespace hetmp::launch
