#include "runtime/launch/hosts.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <unistd.h>

namespace hetmp::launch {
namespace {

constexpr size_t most_nodes = 64;
constexpr int64_t most_cpus = 4096;

/// What could not be a host's name or address, and would mean something to a shell.
bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '@' || c == '%';
  });
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
    const auto same = [&](const Host& other) { return other.name == hosts[i].name; };
    const size_t nodes = size_t(std::count_if(hosts.begin(), hosts.end(), same));
    const size_t before = size_t(std::count_if(hosts.begin(), hosts.begin() + std::ptrdiff_t(i), same));
    const std::vector<int>& cpus = available[i];
    if (cpus.empty() || hosts[i].cpus > cpus.size()) {
      error = "host " + hosts[i].name + " has " + std::to_string(cpus.size()) + " CPUs for this";
      return {};
    }
    if (nodes > cpus.size()) { // several nodes a CPU
      dealt[i] = {cpus[before % cpus.size()]};
      continue;
    }
    const size_t begin = cpus.size() * before / nodes;
    const size_t end = hosts[i].cpus != 0 ? std::min(begin + hosts[i].cpus, cpus.size()) : cpus.size() * (before + 1) / nodes;
    dealt[i] = {cpus.begin() + std::ptrdiff_t(begin), cpus.begin() + std::ptrdiff_t(end)};
  }
  return dealt;
}

} // namespace hetmp::launch
