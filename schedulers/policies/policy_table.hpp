// What is known of every schedule before a loop begins: one line each. A new policy is its class and its line; nobody
// else tells kinds apart, but for the ones of OpenMP, which a node alone executes by itself (is_placed()).
#pragma once

#include "schedulers/policies/assignment.hpp"
#include "schedulers/policies/policy.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace hetmp::schedulers {

struct PolicyDescriptor {
  /// What may follow the name behind a comma, and what omp_set_schedule's second argument means.
  enum class Parameter : uint8_t {
    Chunk,        ///< Schedule::chunk
    IgnoredChunk, ///< likewise, but it changes nothing
    Percentage,   ///< Schedule::probe_percent
  };
  using Factory = std::unique_ptr<LoopPolicy> (*)(const Schedule& schedule, const LoopShape& shape,
                                                  LoopHistory& history, const DecisionRules& rules);

  ScheduleKind kind = ScheduleKind::Static;      ///< a number of its own; it travels between nodes
  std::string_view name;                         ///< in OMP_SCHEDULE, in lower case, and in reports
  std::array<std::string_view, 2> other_names{}; ///< that are read, too
  uint32_t omp_number = 0;                       ///< omp_sched_t's; 0 = only the runtime chooses this schedule
  Parameter parameter = Parameter::Chunk;
  bool learns = false; ///< visits are measured and change later ones: the loop has a history and a record
  /// Though it learns: no node of the team may be withdrawn from a region with such a loop, unless it is placed
  /// (LoopHistory::is_placed).
  bool needs_all_nodes = false;
  bool decides_together = false;                     ///< with the program's other loops (LoopGroup)
  bool repeats = false;                              ///< its answers may hold for further visits (Assignment::repeats)
  std::optional<Assignment::Distribution> in_node{}; ///< how a node's threads share by it, if they can
  Factory make = nullptr;
};

/// hetmp's own lines.
std::span<const PolicyDescriptor> built_in_policies();

/// All lines in force: hetmp's own. It is alone in its object file: a program that links the scheduler's library may
/// define it itself, with more lines.
std::span<const PolicyDescriptor> policy_table();

/// The line of `kind`; null if there is none.
const PolicyDescriptor* find_policy(ScheduleKind kind);
/// The same, of a kind that has one.
const PolicyDescriptor& policy_of(ScheduleKind kind);
/// By what OMP_SCHEDULE and omp_set_schedule can say; null if there is none.
const PolicyDescriptor* find_policy(std::string_view name);
const PolicyDescriptor* find_policy_by_number(uint32_t omp_number);

} // namespace hetmp::schedulers
