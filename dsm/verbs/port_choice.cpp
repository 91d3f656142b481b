#include "dsm/verbs/port_choice.hpp"

#include <algorithm>
#include <charconv>

namespace hetmp::dsm {
namespace {

struct Wish {
  std::string_view device;
  std::optional<uint32_t> port, gid;
};

std::optional<uint32_t> parse_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    return {};
  return number;
}

/// Nothing if the text is not of that form.
std::optional<Wish> parse_wish(std::string_view text) {
  Wish wish;
  size_t colon = text.find(':');
  wish.device = text.substr(0, colon);
  if (wish.device.empty() || wish.device.find_first_of(" \t") != std::string_view::npos)
    return {};
  for (std::optional<uint32_t>* number : {&wish.port, &wish.gid}) {
    if (colon == std::string_view::npos)
      return wish;
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    *number = parse_number(text.substr(0, colon));
    if (!*number)
      return {};
  }
  return colon == std::string_view::npos ? std::optional(wish) : std::nullopt;
}

std::string name_of(const RdmaPort& port) { return "port " + std::to_string(port.port) + " of " + port.device; }

std::string too_few(const RdmaPort& port, uint32_t has, uint32_t wanted, const char* what) {
  return port.device + " has " + std::to_string(has) + what + ", and " + std::to_string(wanted) + " are needed";
}

/// Empty if it can be used.
std::string why_not(const RdmaPort& port, const PortDemand& demand) {
  if (!port.problem.empty())
    return port.device + ' ' + port.problem;
  if (!port.reliable_writes)
    return port.device + " is of a kind whose writes carry no number, like iWARP's";
  if (!port.active)
    return name_of(port) + " is not active";
  if (port.mtu < smallest_mtu || port.mtu > largest_mtu)
    return name_of(port) + " says nothing sensible of its MTU";
  if (port.most_queue_pairs < demand.queue_pairs)
    return too_few(port, port.most_queue_pairs, demand.queue_pairs, " queue pairs");
  if (port.most_posts < demand.posts)
    return too_few(port, port.most_posts, demand.posts, " work requests for a queue pair");
  if (port.most_completions < demand.completions)
    return too_few(port, port.most_completions, demand.completions, " entries for a completion queue");
  if (port.gids.empty())
    return name_of(port) + " has no GID";
  return {};
}

bool is_loopback(const Gid& address) {
  constexpr Gid one = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return address == one || (is_mapped_ipv4(address) && address[12] == 127);
}

PortChoice chosen(const RdmaPort& port, const RdmaPort::Entry& gid) {
  return {port.device, port.port, gid, port.lid, port.mtu, {}};
}

PortChoice refused(std::string problem) {
  PortChoice choice;
  choice.problem = std::move(problem);
  return choice;
}

using Ports = std::vector<const RdmaPort*>;

/// How far down the list of choose_port() a GID stands; nothing: it is not on it.
std::optional<int> rank_of(const RdmaPort& port, const RdmaPort::Entry& entry, const std::optional<Gid>& address) {
  const bool second = entry.kind == GidKind::RoceV2;
  if (port.link == RdmaLink::InfiniBand)
    return entry.index == 0 ? std::optional(0) : std::nullopt;
  if (address && entry.gid == *address)
    return second ? 1 : 2;
  if (!second)
    return 5;
  return is_mapped_ipv4(entry.gid) ? 3 : 4;
}

PortChoice best_of(const Ports& ports, const std::optional<Gid>& address) {
  const RdmaPort* port = nullptr;
  const RdmaPort::Entry* gid = nullptr;
  std::optional<int> best;
  for (const RdmaPort* candidate : ports)
    for (const RdmaPort::Entry& entry : candidate->gids)
      if (const auto rank = rank_of(*candidate, entry, address); rank && (!best || *rank < *best)) {
        best = rank;
        port = candidate;
        gid = &entry;
      }
  return port ? chosen(*port, *gid) : refused(name_of(*ports.front()) + " has no GID with index 0");
}

/// Among these, of which there is one at least; what is wrong with them if none can be used.
PortChoice choose_among(const Ports& ports, const std::optional<Gid>& address, const PortDemand& demand) {
  Ports usable;
  std::string problems, last;
  for (const RdmaPort* port : ports) {
    const std::string problem = why_not(*port, demand);
    if (problem.empty())
      usable.push_back(port);
    else if (problem != last) // the ports of a device have much in common
      problems += (problems.empty() ? "" : "; ") + problem;
    last = problem;
  }
  return usable.empty() ? refused(problems) : best_of(usable, address);
}

std::string names_of(const std::vector<RdmaPort>& ports) {
  std::string names, last;
  for (const RdmaPort& port : ports) {
    if (port.device != last)
      names += (names.empty() ? "" : ", ") + port.device;
    last = port.device;
  }
  return names;
}

PortChoice choose_wished(const std::vector<RdmaPort>& all, const Wish& wish, const std::optional<Gid>& address,
                         const PortDemand& demand) {
  Ports ports;
  for (const RdmaPort& port : all)
    if (port.device == wish.device)
      ports.push_back(&port);
  if (ports.empty())
    return refused("there is no such device; there is " + names_of(all));
  const bool opened = ports.front()->port != 0;
  if (wish.port && opened)
    std::erase_if(ports, [&](const RdmaPort* port) { return port->port != *wish.port; });
  if (ports.empty())
    return refused(std::string(wish.device) + " has no port " + std::to_string(*wish.port));
  if (!wish.gid || !opened)
    return choose_among(ports, address, demand);
  const RdmaPort& port = *ports.front();
  if (std::string problem = why_not(port, demand); !problem.empty())
    return refused(std::move(problem));
  const auto gid = std::find_if(port.gids.begin(), port.gids.end(),
                                [&](const RdmaPort::Entry& entry) { return entry.index == *wish.gid; });
  if (gid == port.gids.end())
    return refused(name_of(port) + " has no GID with index " + std::to_string(*wish.gid));
  return chosen(port, *gid);
}

} // namespace

PortChoice choose_port(const std::vector<RdmaPort>& ports, std::string_view wish, const std::optional<Gid>& address,
                       const PortDemand& demand) {
  if (ports.empty())
    return refused("this machine has no RDMA device");
  const auto reachable = address && !is_loopback(*address) ? address : std::nullopt;
  if (wish.empty()) {
    Ports all;
    for (const RdmaPort& port : ports)
      all.push_back(&port);
    return choose_among(all, reachable, demand);
  }
  const auto parsed = parse_wish(wish);
  PortChoice choice =
      parsed ? choose_wished(ports, *parsed, reachable, demand) : refused("not of the form device[:port[:gid index]]");
  if (!choice.problem.empty())
    choice.problem = "HETMP_VERBS_DEVICE=" + std::string(wish) + ": " + choice.problem;
  return choice;
}

} // namespace hetmp::dsm
