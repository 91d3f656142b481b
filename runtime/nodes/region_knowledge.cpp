#include "runtime/nodes/region_knowledge.hpp"

#include "base/elf/code_map.hpp"
#include "base/machine/cpu_quota.hpp"
#include "base/message.hpp"
#include "perf/knowledge/knowledge_file.hpp"
#include "perf/report/report.hpp"
#include "runtime/nodes/construct_names.hpp"
#include "runtime/nodes/lesson_records.hpp"
#include "runtime/process/code_ids.hpp"
#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/regions/placing.hpp"
#include "runtime/regions/travelling.hpp"

#include <algorithm>
#include <climits>
#include <unistd.h>

namespace hetmp::runtime::region_knowledge {

struct Place {
  perf::KnowledgeFile file;
  perf::Knowledge program; ///< its file and what that is, without layouts
  perf::KnownLayout nodes; ///< without regions
};

namespace {

std::string program_file() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, size_t(std::max<ssize_t>(length, 0))};
}

/// What the program's file is, as far as its loaded image tells.
std::string program_build() {
  constexpr std::string_view name = "program ";
  for (const ObjectCode& object : loaded_code())
    if (object.identity.starts_with(name))
      return object.identity.substr(name.size());
  return {};
}

/// Of the origin's CPUs; 0: all.
double quota_of_origin() {
  const std::optional<double> quota = cpu_quota();
  return quota && *quota < static_cast<double>(layout().cpus[0].size()) ? *quota : 0;
}

/// Of this build; nothing of another one.
perf::Knowledge known_of(const Place& its, const perf::ReadKnowledge& read) {
  const bool is_same =
      read.error.empty() && read.knowledge.program == its.program.program && read.knowledge.build == its.program.build;
  return is_same ? read.knowledge : its.program;
}

std::string in_words(const placing::Knowledge& known, uint64_t microtask) {
  perf::PlacedRegion region;
  region.address = microtask;
  region.place = place_of(microtask);
  const auto ident = known.idents.find(microtask);
  const char* source = ident == known.idents.end() ? nullptr : source_of(ident->second);
  region.source = source ? source : "";
  return region.source.empty() ? region.place : perf::region_name(region);
}

} // namespace

const Place* recall() {
  if (!fabric || own_node() != 0 || placement().regions.kind != RegionChoice::Kind::Auto)
    return nullptr;
  std::string program = program_file();
  auto file = perf::knowledge_file_of(program);
  if (!file)
    return nullptr;
  const auto* its = new Place{*std::move(file),
                              {std::move(program), program_build(), {}},
                              {layout().cpu_counts(), quota_of_origin(), std::string(fabric->interconnect), {}, {}}};
  const perf::ReadKnowledge read = perf::read_knowledge(its->file.path);
  if (!read.error.empty() && !read.missing)
    say("%s %s; regions are learned anew", its->file.path.c_str(), read.error.c_str());
  for (const perf::KnownLayout& known : known_of(*its, read).layouts)
    if (known.is_same(its->nodes)) {
      Lessons lessons = lessons_of(known, find_code);
      placing::recall(std::move(lessons.placement));
      travelling::recall(std::move(lessons.journeys));
    }
  return its;
}

void keep(const Place& place) {
  const placing::Knowledge names = placing::knowledge();
  const Lessons lessons{placing::lessons(), travelling::lessons()};
  perf::KnownLayout newer = records_of(
      lessons, [](uint64_t microtask) { return name_lasting_code(reinterpret_cast<const void*>(microtask)); },
      [&](uint64_t microtask) { return in_words(names, microtask); });
  if (newer.regions.empty())
    return;
  newer.cpus = place.nodes.cpus;
  newer.quota = place.nodes.quota;
  newer.interconnect = place.nodes.interconnect;
  const perf::ReadKnowledge read = perf::read_knowledge(place.file.path); // another run may have written meanwhile
  if (place.file.is_named && !read.error.empty() && !read.missing)
    return; // the user's file, and none of ours
  perf::Knowledge all = known_of(place, read);
  perf::merge_layout(all, newer);
  const std::string problem = perf::write_knowledge(place.file.path, all);
  if (!problem.empty() && place.file.is_named) // elsewhere nobody asked for it
    say("HETMP_KNOWLEDGE=%s: %s", place.file.path.c_str(), problem.c_str());
}

} // namespace hetmp::runtime::region_knowledge
