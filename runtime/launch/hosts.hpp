// Hosts as people name them: "a,b:4".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::launch {

/// One node.
struct Host {
  std::string name;
  uint32_t cpus = 0; ///< that the node is to use; 0 = all, divided among the nodes of the host
  bool operator==(const Host&) const = default;
};

struct ParsedHosts {
  std::vector<Host> hosts;
  std::string error; ///< a short phrase; empty if nothing is wrong
};

/// A host for each node, 2 to 64, separated by commas; a host may come again. IPv6 addresses in brackets.
ParsedHosts parse_hosts(std::string_view text);

/// Whether the name means this machine.
bool is_here(const std::string& name);

/// The CPUs of each node, given those of each node's host. Nodes that ask for a number get it for themselves; the
/// others of a host share what is left, several a CPU if all of them asked for none. Empty, with a phrase in `error`,
/// if a host has too few.
std::vector<std::vector<int>> deal_cpus(const std::vector<Host>& hosts, const std::vector<std::vector<int>>& available,
                                        std::string& error);

} // namespace hetmp::launch
