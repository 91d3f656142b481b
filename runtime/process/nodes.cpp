#include "runtime/process/nodes.hpp"

#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "base/machine/cpu_quota.hpp"
#include "base/variables/variable.hpp"
#include "runtime/process/kind_nodes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <utility>

namespace hetmp::runtime {
namespace {

constexpr std::string_view cpu_sets_prefix = "cores:";
constexpr std::string_view kinds_word = "kinds";
constexpr std::string_view processes_prefix = "proc:";
constexpr std::string_view hosts_prefix = "hosts:";

Layout one_node(const std::vector<int>& cpus) { return {Layout::Kind::One, {cpus}, false}; }

ParsedLayout malformed(const std::vector<int>& allowed, std::string error) {
  return {one_node(allowed), std::move(error)};
}

ParsedLayout parse_cpu_sets(std::string_view text, const std::vector<int>& allowed) {
  Layout layout{Layout::Kind::CpuSets, {}, false};
  std::set<int> taken;
  while (true) {
    const size_t semicolon = text.find(';');
    const auto cpus = parse_cpu_list(text.substr(0, semicolon));
    if (!cpus)
      return malformed(allowed, "expected lists of CPUs like cores:0-3;4-7");
    for (const int cpu : *cpus) {
      if (!std::binary_search(allowed.begin(), allowed.end(), cpu))
        return malformed(allowed, "CPU " + std::to_string(cpu) + " is not available to this process");
      if (!taken.insert(cpu).second)
        return malformed(allowed, "CPU " + std::to_string(cpu) + " belongs to two nodes");
    }
    layout.cpus.push_back(*cpus);
    if (semicolon == std::string_view::npos)
      break;
    text.remove_prefix(semicolon + 1);
  }
  if (layout.nodes() > most_nodes)
    return malformed(allowed, "more than 64 nodes");
  if (layout.nodes() == 1)
    layout.kind = Layout::Kind::One;
  return {layout, {}};
}

ParsedLayout layout_of_kinds(const affinity::CoreKinds& machine, const std::vector<int>& allowed) {
  if (!machine.problem.empty())
    return malformed(allowed, machine.problem);
  KindNodes nodes = nodes_of_kinds(machine.kinds, allowed);
  if (nodes.cpus.size() > most_nodes)
    return malformed(allowed, "more than 64 kinds of cores");
  const auto kind = nodes.cpus.size() == 1 ? Layout::Kind::One : Layout::Kind::CpuSets;
  return {{kind, std::move(nodes.cpus), false, std::move(nodes.speeds)}, {}};
}

ParsedLayout parse_processes(std::string_view text, const std::vector<int>& allowed) {
  const auto count = parse_integer(text, 2, most_nodes);
  if (!count)
    return malformed(allowed, "expected a number of node processes from 2 to 64");
  Layout layout{Layout::Kind::Processes, {}, false};
  for (uint32_t node = 0; node < *count; node++)
    layout.cpus.push_back(cpus_of_process(allowed, uint32_t(*count), node));
  return {layout, {}};
}

ParsedLayout parse_hosts(std::string_view text, const std::vector<int>& allowed) {
  const auto cpus = parse_cpu_lists(text);
  if (!cpus)
    return malformed(allowed, "expected lists of CPUs like hosts:0-3;0-7");
  const Layout layout{Layout::Kind::Processes, *cpus, true};
  if (layout.nodes() < 2 || layout.nodes() > most_nodes)
    return malformed(allowed, "expected from 2 to 64 hosts");
  return {layout, {}};
}

/// Made when it is asked for first: constructors of other objects may be earlier than this one's. Never destroyed: a
/// worker whose first region has no need of it may begin when the program ends.
constinit Layout* made_layout = nullptr;
Layout& program_layout() {
  if (!made_layout) [[unlikely]] // by the first thread, before there are others of the runtime's
    made_layout = new Layout{Layout::Kind::One, {{0}}, false};
  return *made_layout;
}
uint32_t this_node = 0;

} // namespace

std::vector<uint32_t> Layout::cpu_counts() const {
  std::vector<uint32_t> counts;
  for (const auto& set : cpus)
    counts.push_back(uint32_t(set.size()));
  return counts;
}

uint32_t Layout::distinct_cpus() const {
  if (hosts) {
    size_t sum = 0;
    for (const auto& set : cpus)
      sum += set.size();
    return uint32_t(sum);
  }
  std::set<int> all;
  for (const auto& set : cpus)
    all.insert(set.begin(), set.end());
  return uint32_t(all.size());
}

bool asks_for_kinds(std::string_view text) { return trimmed(text) == kinds_word; }

ParsedLayout parse_nodes(std::string_view text, const std::vector<int>& allowed, const affinity::CoreKinds& machine) {
  text = trimmed(text);
  if (text.empty() || text == "1")
    return {one_node(allowed), {}};
  if (text.substr(0, cpu_sets_prefix.size()) == cpu_sets_prefix)
    return parse_cpu_sets(text.substr(cpu_sets_prefix.size()), allowed);
  if (text.substr(0, processes_prefix.size()) == processes_prefix)
    return parse_processes(text.substr(processes_prefix.size()), allowed);
  if (text.substr(0, hosts_prefix.size()) == hosts_prefix)
    return parse_hosts(text.substr(hosts_prefix.size()), allowed);
  if (asks_for_kinds(text))
    return layout_of_kinds(machine, allowed);
  return malformed(allowed, "expected 1, cores:LIST;LIST..., kinds or proc:N");
}

std::vector<int> cpus_of_process(const std::vector<int>& allowed, uint32_t nodes, uint32_t node) {
  const size_t cpus = allowed.size();
  if (cpus == 0)
    return {};
  if (nodes > cpus)
    return {allowed[node % cpus]};
  const size_t begin = cpus * node / nodes;
  const size_t end = cpus * (node + 1) / nodes;
  return {allowed.begin() + std::ptrdiff_t(begin), allowed.begin() + std::ptrdiff_t(end)};
}

uint32_t default_team_size(const Layout& layout) {
  const uint32_t cpus = layout.distinct_cpus();
  return layout.nodes() == 1 ? team_size_within(cpus, layout.granted) : std::max({cpus, layout.nodes(), 1u});
}

uint32_t team_size_within(uint32_t cpus, std::optional<double> quota) {
  if (quota && *quota < cpus)
    cpus = uint32_t(std::ceil(*quota));
  return std::max(cpus, 1u);
}

double granted_cpus() {
  // relaxed: who comes first looks, and whoever looks as well finds the same.
  const std::atomic_ref known(program_layout().granted_to_work);
  double cpus = known.load(std::memory_order_relaxed);
  if (cpus < 0) {
    cpus = cpu_quota().value_or(0);
    known.store(cpus, std::memory_order_relaxed);
  }
  return cpus;
}

const Layout& layout() { return program_layout(); }

void read_layout(const std::vector<int>& allowed) {
  const auto text = environment_value(Variable::HETMP_NODES);
  const bool kinds = text && asks_for_kinds(*text);
  const ParsedLayout parsed =
      parse_nodes(text.value_or(""), allowed, kinds ? affinity::read_core_kinds() : affinity::CoreKinds{});
  const bool refused = parsed.error.empty() && parsed.layout.kind == Layout::Kind::Processes && is_privileged();
  if (!parsed.error.empty() || refused)
    complain(Variable::HETMP_NODES, *text,
             refused ? "a process with more rights than its caller has no node processes" : parsed.error, "one node");
  program_layout() = refused ? one_node(allowed) : parsed.layout;
  program_layout().granted = cpu_quota();
}

void use_one_node() {
  Layout one = one_node(allowed_cpus());
  one.granted = program_layout().granted;
  program_layout() = std::move(one);
}

uint32_t own_node() { return this_node; }

void set_own_node(uint32_t node) { this_node = node; }

} // namespace hetmp::runtime
