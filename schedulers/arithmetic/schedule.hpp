// What a loop schedule is, as a value. The names are OpenMP's; HetProbe is this project's addition.
#pragma once

#include <cstdint>
#include <string_view>

namespace hetmp::schedulers {

/// OpenMP's kinds come first. The numbers travel between the nodes of a program. What is known of each is in
/// schedulers/policies/policy_table.hpp.
enum class ScheduleKind : uint8_t {
  Static,       ///< contiguous equal shares; with a chunk, chunks dealt round robin
  Dynamic,      ///< chunks on demand
  Guided,       ///< shrinking chunks on demand
  Auto,         ///< the runtime's choice
  PlacedStatic, ///< a loop that the compiler divides, placed all the same
  HetProbe,     ///< probe, decide, run (the paper, section 3.2)
  HetProbeI,    ///< probe again and again while the loop runs (the paper, section 3.3)
};

/// Whether this is a kind of this project's: a loop of a team on several nodes, whose iterations its policy hands out
/// in any order. On one node there is nothing to place.
constexpr bool is_placed(ScheduleKind kind) { return kind > ScheduleKind::Auto; }

/// Another name of guided; Schedule::trapezoidal remembers it.
inline constexpr std::string_view trapezoidal_name = "trapezoidal";

struct Schedule {
  ScheduleKind kind = ScheduleKind::Static;
  uint64_t chunk = 0;          ///< iterations; 0 = none given
  double probe_percent = 10.0; ///< HetProbe, HetProbeI: share of the iterations spent probing, in (0, 100]
  bool monotonic = false;      ///< the monotonic modifier was given
  bool trapezoidal = false;    ///< Guided by another name: libomp's for chunks that shrink by equal steps
  bool unsaid = false;         ///< Static because nobody has chosen a schedule for schedule(runtime) loops
  bool operator==(const Schedule&) const = default;
};

/// Iterations [begin, end) of a loop, counted from 0 in execution order.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool empty() const { return begin >= end; }
  uint64_t size() const { return empty() ? 0 : end - begin; }
  bool operator==(const Range&) const = default;
};

} // namespace hetmp::schedulers
