#include "schedulers/arithmetic/core_speeds.hpp"
#include "schedulers/policies/hetprobe.hpp"
#include "schedulers/policies/hetprobe_i.hpp"
#include "schedulers/policies/hierarchical_dynamic.hpp"
#include "schedulers/policies/hierarchical_static.hpp"
#include "schedulers/policies/placed_static.hpp"
#include "schedulers/policies/policy_table.hpp"

namespace hetmp::schedulers {
namespace {

using Policy = std::unique_ptr<LoopPolicy>;
using Distribution = Assignment::Distribution;
using Parameter = PolicyDescriptor::Parameter;

Policy make_static(const Schedule&, const LoopShape& shape, LoopHistory&, const DecisionRules& rules) {
  return std::make_unique<HierarchicalStatic>(shape, CoreSpeeds{rules.speeds}, rules.in_node);
}

Policy make_dynamic(const Schedule& schedule, const LoopShape& shape, LoopHistory&, const DecisionRules& rules) {
  return std::make_unique<HierarchicalDynamic>(schedule, shape, rules);
}

/// The best of those that need no history.
Policy make_auto(const Schedule& schedule, const LoopShape& shape, LoopHistory&, const DecisionRules& rules) {
  return std::make_unique<HierarchicalDynamic>(Schedule{ScheduleKind::Guided, schedule.chunk}, shape, rules);
}

Policy make_placed(const Schedule&, const LoopShape& shape, LoopHistory& history, const DecisionRules& rules) {
  return std::make_unique<PlacedStatic>(shape, history, rules);
}

Policy make_hetprobe(const Schedule& schedule, const LoopShape& shape, LoopHistory& history,
                     const DecisionRules& rules) {
  return std::make_unique<HetProbePolicy>(shape, schedule.probe_percent, history, rules);
}

/// A loop that is placed together with others has nothing to find out within its visits.
Policy make_hetprobe_i(const Schedule& schedule, const LoopShape& shape, LoopHistory& history,
                       const DecisionRules& rules) {
  if (history.is_placed())
    return make_hetprobe(schedule, shape, history, rules);
  return std::make_unique<HetProbeI>(shape, schedule.probe_percent, history, rules);
}

// clang-format off
constexpr PolicyDescriptor table[] = {
  {.kind = ScheduleKind::Static, .name = "static", .omp_number = 1, .repeats = true,
   .in_node = Distribution::EqualShares, .make = make_static},
  {.kind = ScheduleKind::Dynamic, .name = "dynamic", .other_names = {"static_steal"}, .omp_number = 2,
   .in_node = Distribution::Chunks, .make = make_dynamic},
  {.kind = ScheduleKind::Guided, .name = "guided", .other_names = {trapezoidal_name}, .omp_number = 3,
   .in_node = Distribution::Guided, .make = make_dynamic},
  {.kind = ScheduleKind::Auto, .name = "auto", .omp_number = 4, .parameter = Parameter::IgnoredChunk,
   .make = make_auto},
  {.kind = ScheduleKind::PlacedStatic, .name = "static (placed)", .learns = true,
   .decides_together = true, .repeats = true, .make = make_placed},
  {.kind = ScheduleKind::HetProbe, .name = "hetprobe", .omp_number = 0x48500001, .parameter = Parameter::Percentage,
   .learns = true, .decides_together = true, .repeats = true, .make = make_hetprobe},
  {.kind = ScheduleKind::HetProbeI, .name = "hetprobe-i", .other_names = {"het_irregular", "hetprobe_i"},
   .omp_number = 0x48500002, .parameter = Parameter::Percentage, .learns = true,
   .needs_all_nodes = true, // it may bring in any of them at any time: that is what it is chosen for
   .decides_together = true, .repeats = true, .make = make_hetprobe_i},
};
// clang-format on

} // namespace

std::span<const PolicyDescriptor> built_in_policies() { return table; }

} // namespace hetmp::schedulers
