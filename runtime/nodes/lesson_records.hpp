// What the placement of regions learns, as records of a file, and back. Pure: who names code is passed in.
#pragma once

#include "base/elf/code_id.hpp"
#include "perf/knowledge/knowledge.hpp"
#include "schedulers/placement/lessons.hpp"

#include <functional>
#include <string>

namespace hetmp::runtime {

struct Lessons {
  schedulers::PlacementLessons placement;
  schedulers::JourneyLessons journeys;

  bool empty() const { return placement.regions.empty() && journeys.empty(); }
};

/// By microtasks. `find_code`: null if there is no such code, whose lessons are left out.
Lessons lessons_of(const perf::KnownLayout& known, const std::function<const void*(CodeId)>& find_code);

/// `name_code`: of a microtask; none if it means nothing in other runs: its lessons are left out. `in_words`: what
/// people call it. The regions with the longest visits come first.
perf::KnownLayout records_of(const Lessons& lessons, const std::function<CodeId(uint64_t)>& name_code,
                             const std::function<std::string(uint64_t)>& in_words);

} // namespace hetmp::runtime
