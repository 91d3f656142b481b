#include "perf/knowledge/knowledge.hpp"
#include "perf/read_file.hpp"
#include "perf/report/record_reader.hpp"
#include "perf/report/report_fields.hpp"

#include <algorithm>
#include <tuple>

namespace hetmp::perf {
namespace {

constexpr size_t deepest = 8;
constexpr size_t most_layouts = 16, most_regions = 512, most_between = 1024, most_visits = 64, most_nodes = 64;
constexpr size_t longest_text = 1024;
constexpr double longest_us = 1e15; ///< thirty years
constexpr double most_cpus = 1e6;
constexpr const char* format_name = "hetmp-knowledge";

/// The file's head: it decides whether the rest is read.
struct Head {
  std::string format = format_name;
  uint32_t version = knowledge_version;
};

} // namespace

template <class Visitor, IsRecord<KnownVisits> Record> void fields(Visitor& visitor, Record& visits) {
  visitor.field("trips", visits.trips);
  visitor.field("home_us", visits.home_us);
  visitor.field("spread_us", visits.spread_us);
}

template <class Visitor, IsRecord<KnownRegion> Record> void fields(Visitor& visitor, Record& region) {
  visitor.field("object", region.object);
  visitor.field("offset", region.offset);
  visitor.field("name", region.name);
  visitor.field("gains", region.gains);
  visitor.field("lent", region.lent);
  visitor.field("compared", region.compared);
  visitor.field("lost", region.lost);
  visitor.field("lost_until_us", region.lost_until_us);
  visitor.field("home_us", region.home_us);
  visitor.field("spread_us", region.spread_us);
  visitor.field("first_spread_us", region.first_spread_us);
  visitor.field("longest_home_us", region.longest_home_us);
  visitor.field("exchanges", region.exchanges);
  visitor.field("age", region.age);
  visitor.field("journeys_paid", region.journeys_paid);
  visitor.field("journeys_gain_us", region.journeys_gain_us);
  visitor.field("journeys_rest_us", region.journeys_rest_us);
  visitor.field("journeys_age", region.journeys_age);
  visitor.field("visits", region.visits);
}

template <class Visitor, IsRecord<KnownBetween> Record> void fields(Visitor& visitor, Record& between) {
  visitor.field("from_object", between.from_object);
  visitor.field("from_offset", between.from_offset);
  visitor.field("to_object", between.to_object);
  visitor.field("to_offset", between.to_offset);
  visitor.field("home_us", between.home_us);
}

template <class Visitor, IsRecord<KnownLayout> Record> void fields(Visitor& visitor, Record& layout) {
  visitor.field("cpus", layout.cpus);
  visitor.field("quota", layout.quota);
  visitor.field("interconnect", layout.interconnect);
  visitor.field("regions", layout.regions);
  visitor.field("between", layout.between);
}

template <class Visitor, IsRecord<Knowledge> Record> void fields(Visitor& visitor, Record& knowledge) {
  visitor.field("program", knowledge.program);
  visitor.field("build", knowledge.build);
  visitor.field("layouts", knowledge.layouts);
}

namespace {

template <class... Times> bool are_times(Times... times) { return ((times >= 0 && times <= longest_us) && ...); }

bool makes_sense(const KnownRegion& region) {
  const auto is_visit = [](const KnownVisits& visits) { return are_times(visits.home_us, visits.spread_us); };
  return region.object != 0 && region.gains + region.lent + region.lost <= 1 && region.visits.size() <= most_visits &&
         are_times(region.lost_until_us, region.home_us, region.spread_us, region.first_spread_us,
                   region.longest_home_us, region.journeys_rest_us) &&
         (region.journeys_gain_us < 0 ? are_times(-region.journeys_gain_us) : are_times(region.journeys_gain_us)) &&
         std::all_of(region.visits.begin(), region.visits.end(), is_visit);
}

bool makes_sense(const KnownLayout& layout) {
  const auto is_region = [](const KnownRegion& region) { return makes_sense(region); };
  const auto is_between = [](const KnownBetween& between) { return are_times(between.home_us); };
  return layout.cpus.size() <= most_nodes && layout.quota >= 0 && layout.quota <= most_cpus &&
         layout.regions.size() <= most_regions && layout.between.size() <= most_between &&
         std::all_of(layout.regions.begin(), layout.regions.end(), is_region) &&
         std::all_of(layout.between.begin(), layout.between.end(), is_between);
}

std::string check_head(const nlohmann::json& file) {
  Problem wrong = nullptr;
  Head head{"", 0};
  RecordReader reader(file, wrong);
  reader.field("format", head.format);
  reader.field("version", head.version);
  if (wrong || head.format != format_name || head.version == 0)
    return "is not what hetmp knows of a program";
  if (head.version > knowledge_version)
    return "has version " + std::to_string(head.version) + ", newer than this hetmp, which reads version " +
           std::to_string(knowledge_version);
  return {};
}

auto code_of(const KnownRegion& region) { return std::tie(region.object, region.offset); }
auto code_of(const KnownBetween& between) {
  return std::tie(between.from_object, between.from_offset, between.to_object, between.to_offset);
}

/// `newer`, then those of `older` that it does not have.
template <class Known> std::vector<Known> merged(std::vector<Known> newer, const std::vector<Known>& older) {
  const size_t met = newer.size();
  for (const Known& known : older) {
    const auto is_same = [&](const Known& other) { return code_of(other) == code_of(known); };
    if (std::none_of(newer.begin(), newer.begin() + ptrdiff_t(met), is_same))
      newer.push_back(known);
  }
  return newer;
}

} // namespace

std::string format_knowledge(const Knowledge& knowledge) {
  RecordWriter object(true);
  const Head head;
  object.field("format", head.format);
  object.field("version", head.version);
  fields(object, knowledge);
  return object.finished() + "\n";
}

bool parse_knowledge(std::string_view text, Knowledge& knowledge, std::string& problem) {
  knowledge = {};
  problem.clear();
  if (text.size() > largest_knowledge) {
    problem = "is larger than 1 MiB";
    return false;
  }
  const nlohmann::json file =
      nests_deeper_than(text, deepest) ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
  problem = file.is_object() ? check_head(file) : "is not what hetmp knows of a program";
  if (!problem.empty())
    return false;
  Problem wrong = nullptr;
  Knowledge read;
  RecordReader reader(file, wrong);
  fields(reader, read);
  if (wrong)
    problem = std::string("is damaged: ") + wrong + " is not what belongs there";
  else if (read.layouts.size() > most_layouts || !std::all_of(read.layouts.begin(), read.layouts.end(),
                                                              [](const auto& layout) { return makes_sense(layout); }))
    problem = "is damaged: a figure in it makes no sense";
  else
    knowledge = std::move(read);
  return problem.empty();
}

void merge_layout(Knowledge& knowledge, const KnownLayout& newer) {
  KnownLayout merging = newer;
  const auto is_same = [&](const KnownLayout& layout) { return layout.is_same(newer); };
  const auto old = std::find_if(knowledge.layouts.begin(), knowledge.layouts.end(), is_same);
  if (old != knowledge.layouts.end()) {
    for (KnownRegion& region : old->regions) // true of those that the run has not met, which alone remain
      region.age++, region.journeys_age++;
    std::erase_if(old->regions, [](const KnownRegion& region) { return region.age > oldest_knowledge; });
    merging.regions = merged(newer.regions, old->regions);
    merging.between = merged(newer.between, old->between);
    knowledge.layouts.erase(old);
  }
  for (KnownRegion& region : merging.regions) {
    region.name = region.name.substr(0, longest_text);
    region.visits.resize(std::min(region.visits.size(), most_visits));
  }
  if (merging.regions.size() > most_regions)
    merging.regions.resize(most_regions);
  if (merging.between.size() > most_between)
    merging.between.resize(most_between);
  knowledge.layouts.push_back(std::move(merging)); // used last
  if (knowledge.layouts.size() > most_layouts)
    knowledge.layouts.erase(knowledge.layouts.begin());
}

} // namespace hetmp::perf
