#include "base/machine/cpu_list.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <sched.h>

namespace hetmp {
namespace {

constexpr int highest_cpu = 4095;

/// A cpu_set_t wide enough for every CPU number accepted here.
struct WideCpuSet {
  cpu_set_t* set = CPU_ALLOC(highest_cpu + 1);
  size_t size = CPU_ALLOC_SIZE(highest_cpu + 1);
  WideCpuSet() { CPU_ZERO_S(size, set); }
  ~WideCpuSet() { CPU_FREE(set); }
};

} // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  text = trimmed(text);
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const size_t dash = item.find('-');
    const auto first = parse_integer(item.substr(0, dash), 0, highest_cpu);
    const auto last = dash == std::string_view::npos ? first : parse_integer(item.substr(dash + 1), 0, highest_cpu);
    if (!first || !last || *first > *last)
      return {};
    for (int64_t cpu = *first; cpu <= *last; ++cpu)
      cpus.push_back(int(cpu));
    if (comma == std::string_view::npos)
      break;
    text.remove_prefix(comma + 1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t j = i;
    while (j + 1 < cpus.size() && cpus[j + 1] == cpus[j] + 1)
      ++j;
    if (!text.empty())
      text += ',';
    text += std::to_string(cpus[i]);
    if (j > i)
      text += '-' + std::to_string(cpus[j]);
    i = j + 1;
  }
  return text;
}

std::optional<std::vector<std::vector<int>>> parse_cpu_lists(std::string_view text) {
  std::vector<std::vector<int>> lists;
  while (!text.empty()) {
    const size_t semicolon = std::min(text.find(';'), text.size());
    const auto cpus = parse_cpu_list(text.substr(0, semicolon));
    if (!cpus)
      return {};
    lists.push_back(*cpus);
    text.remove_prefix(std::min(semicolon + 1, text.size()));
  }
  return lists;
}

std::string format_cpu_lists(const std::vector<std::vector<int>>& lists) {
  std::string text;
  for (const auto& cpus : lists)
    text += format_cpu_list(cpus) + ';';
  return text;
}

std::vector<int> allowed_cpus() {
  WideCpuSet allowed;
  std::vector<int> cpus;
  if (sched_getaffinity(0, allowed.size, allowed.set) == 0)
    for (int cpu = 0; cpu <= highest_cpu; ++cpu)
      if (CPU_ISSET_S(cpu, allowed.size, allowed.set))
        cpus.push_back(cpu);
  if (cpus.empty())
    cpus.push_back(0);
  return cpus;
}

bool bind_thread(const std::vector<int>& cpus) {
  WideCpuSet wanted;
  for (int cpu : cpus)
    CPU_SET_S(cpu, wanted.size, wanted.set);
  return sched_setaffinity(0, wanted.size, wanted.set) == 0;
}

} // namespace hetmp
