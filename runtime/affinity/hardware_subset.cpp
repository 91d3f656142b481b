#include "runtime/affinity/hardware_subset.hpp"

#include "base/environment.hpp"
#include "runtime/affinity/text_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hetmp::affinity {
namespace {

constexpr int64_t most_units = 65536;

struct NamedUnit {
  const char* name;
  TopologyLevel level;
  const char* units;
};
constexpr NamedUnit named_units[] = {{"s", TopologyLevel::Sockets, "sockets"},
                                     {"n", TopologyLevel::NumaDomains, "NUMA domains"},
                                     {"ll", TopologyLevel::LastLevelCaches, "last-level caches"},
                                     {"c", TopologyLevel::Cores, "cores"},
                                     {"t", TopologyLevel::Threads, "hardware threads"}};

const char* name_of(TopologyLevel level) {
  return std::find_if(std::begin(named_units), std::end(named_units),
                      [&](const NamedUnit& each) { return each.level == level; })
      ->units;
}

bool names(const std::vector<SubsetUnits>& units, TopologyLevel level) {
  return std::any_of(units.begin(), units.end(), [&](const SubsetUnits& each) { return each.level == level; });
}

SubsetUnits read_units(TextReader& reader) {
  SubsetUnits units{TopologyLevel::Threads};
  if (reader.at_number())
    units.count = uint32_t(reader.number(1, most_units, "a number of units"));
  else
    reader.take('*');
  const std::string_view word = reader.word();
  const auto known = std::find_if(std::begin(named_units), std::end(named_units),
                                  [&](const NamedUnit& each) { return equal_ignoring_case(word, each.name); });
  if (known == std::end(named_units))
    reader.fail("units are S, N, LL, C and T");
  else
    units.level = known->level;
  if (reader.take('@'))
    units.offset = uint32_t(reader.number(0, most_units, "how many units to leave out"));
  if (reader.take(':'))
    reader.fail("kinds of cores cannot be told apart");
  return units;
}

/// What of each group belongs to `within` (ascending); groups without any are left out.
std::vector<std::vector<int>> parts_within(const std::vector<std::vector<int>>& groups,
                                           const std::vector<int>& within) {
  std::vector<std::vector<int>> parts;
  for (const std::vector<int>& group : groups) {
    std::vector<int> part;
    std::set_intersection(group.begin(), group.end(), within.begin(), within.end(), std::back_inserter(part));
    if (!part.empty())
      parts.push_back(std::move(part));
  }
  return parts;
}

std::string too_few(const SubsetUnits& units, size_t most) {
  return std::string("more ") + name_of(units.level) + " than there are" +
         (units.level == TopologyLevel::Sockets ? "" : " in one unit of the level above") + " (" +
         std::to_string(most) + ')';
}

/// Divides each of `sets` into its units of the level and keeps those that are asked for.
std::vector<std::vector<int>> keep_units(const SubsetUnits& units, const std::vector<std::vector<int>>& sets,
                                         const std::vector<std::vector<int>>& groups, std::string& problem) {
  std::vector<std::vector<int>> kept;
  size_t most = 0;
  for (const std::vector<int>& set : sets) {
    const auto parts = parts_within(groups, set);
    most = std::max(most, parts.size());
    for (size_t i = units.offset; i < parts.size() && (units.count == 0 || i - units.offset < units.count); ++i)
      kept.push_back(parts[i]);
  }
  if (most < size_t(units.offset) + std::max(units.count, 1u))
    problem = too_few(units, most);
  return kept;
}

} // namespace

ParsedSubset parse_subset(std::string_view text) {
  TextReader reader(text);
  ParsedSubset parsed;
  const bool named_only = reader.take(':');
  do {
    const SubsetUnits units = read_units(reader);
    if (names(parsed.units, units.level))
      reader.fail(std::string(name_of(units.level)) + " are named twice");
    parsed.units.push_back(units);
  } while (!reader.failed() && reader.take(','));
  if (!reader.at_end())
    reader.fail("expected a comma between units");
  if (reader.failed())
    return {{}, reader.error()};
  for (const TopologyLevel level : {TopologyLevel::Sockets, TopologyLevel::Cores})
    if (!named_only && !names(parsed.units, level))
      parsed.units.push_back({level});
  std::sort(parsed.units.begin(), parsed.units.end(),
            [](const SubsetUnits& a, const SubsetUnits& b) { return a.level > b.level; });
  return parsed;
}

std::vector<int> subset_of(const std::vector<SubsetUnits>& units, const std::vector<int>& available,
                           const std::function<std::vector<std::vector<int>>(TopologyLevel)>& groups_of,
                           std::string& problem) {
  std::vector<std::vector<int>> sets{available};
  for (const SubsetUnits& each : units) {
    const auto groups = groups_of(each.level);
    if (groups.empty() && problem.empty())
      problem = std::string("the machine does not tell of its ") + name_of(each.level);
    if (problem.empty())
      sets = keep_units(each, sets, groups, problem);
    if (!problem.empty())
      return {};
  }
  std::vector<int> cpus;
  for (const std::vector<int>& set : sets)
    cpus.insert(cpus.end(), set.begin(), set.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

} // namespace hetmp::affinity
