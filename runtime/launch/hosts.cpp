#include "runtime/launch/hosts.hpp"

#include "base/environment.hpp"
#include "base/node_set.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr int64_t most_cpus = 4096;

/// What could not be a host's name or address, and would mean something to a shell.
bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '@' || c == '%';
  });
}

/// A name that means another machine on each machine.
bool is_loopback(const std::string& name) { return name == "localhost" || name == "::1" || name.starts_with("127."); }

/// Every host tells the others where it listens by its name in the list.
std::string check_loopback(const std::vector<Host>& hosts) {
  const auto loopback = [](const Host& host) { return is_loopback(host.name); };
  const auto first = std::find_if(hosts.begin(), hosts.end(), loopback);
  if (first == hosts.end() || std::all_of(hosts.begin(), hosts.end(), loopback))
    return {};
  return "the other hosts cannot reach " + first->name + " by that name";
}

std::string parse_host(std::string_view text, Host& host) {
  std::string_view name = text, cpus;
  if (text.starts_with('[') && text.find(']') != std::string_view::npos) {
    const size_t end = text.find(']');
    name = text.substr(1, end - 1);
    cpus = text.substr(end + 1);
    if (!cpus.empty() && !cpus.starts_with(':'))
      return "'" + std::string(text) + "' is no host";
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    name = text.substr(0, colon);
    cpus = text.substr(colon);
  }
  if (!is_name(name))
    return "'" + std::string(text) + "' is no host";
  host.name = name;
  if (cpus.empty())
    return {};
  const auto count = parse_integer(cpus.substr(1), 1, most_cpus);
  host.cpus = uint32_t(count.value_or(0));
  return count ? "" : "'" + std::string(text) + "': the number of CPUs after the colon is none";
}

/// What the nodes of one host want of its CPUs: those that asked for a number get it, the others share the rest.
struct Demand {
  size_t numbered = 0;                            ///< CPUs that were asked for
  size_t nodes_without = 0;                       ///< nodes that asked for no number
  size_t numbered_before = 0, without_before = 0; ///< the same, of the nodes before the one in question
};

Demand demand_on(const std::vector<Host>& hosts, size_t node) {
  Demand demand;
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (i == node) {
      demand.numbered_before = demand.numbered;
      demand.without_before = demand.nodes_without;
    }
    if (hosts[i].name == hosts[node].name) {
      demand.numbered += hosts[i].cpus;
      demand.nodes_without += hosts[i].cpus == 0;
    }
  }
  return demand;
}

} // namespace

ParsedHosts parse_hosts(std::string_view text) {
  ParsedHosts result;
  while (result.error.empty()) {
    const size_t comma = text.find(',');
    result.error = parse_host(text.substr(0, comma), result.hosts.emplace_back());
    if (comma == std::string_view::npos)
      break;
    text.remove_prefix(comma + 1);
  }
  if (result.error.empty() && (result.hosts.size() < 2 || result.hosts.size() > most_nodes))
    result.error = "from 2 to 64 hosts, one for each node";
  if (result.error.empty())
    result.error = check_loopback(result.hosts);
  return result;
}

bool is_here(const std::string& name) {
  char own[256] = {};
  gethostname(own, sizeof own - 1);
  return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == own;
}

std::vector<std::vector<int>> deal_cpus(const std::vector<Host>& hosts, const std::vector<std::vector<int>>& available,
                                        std::string& error) {
  std::vector<std::vector<int>> dealt(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) {
    const Demand demand = demand_on(hosts, i);
    const std::vector<int>& cpus = available[i];
    const bool enough = demand.numbered == 0 ? !cpus.empty() : demand.numbered + demand.nodes_without <= cpus.size();
    if (!enough) {
      error = "host " + hosts[i].name + " has " + std::to_string(cpus.size()) + " CPUs for this";
      return {};
    }
    size_t begin = demand.numbered_before;
    size_t end = begin + hosts[i].cpus;
    if (hosts[i].cpus == 0 && demand.nodes_without > cpus.size()) { // several nodes a CPU
      begin = demand.without_before % cpus.size();
      end = begin + 1;
    } else if (hosts[i].cpus == 0) {
      const size_t rest = cpus.size() - demand.numbered;
      begin = demand.numbered + rest * demand.without_before / demand.nodes_without;
      end = demand.numbered + rest * (demand.without_before + 1) / demand.nodes_without;
    }
    dealt[i] = {cpus.begin() + std::ptrdiff_t(begin), cpus.begin() + std::ptrdiff_t(end)};
  }
  return dealt;
}

} // namespace hetmp::launch
