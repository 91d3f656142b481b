#include "schedulers/policies/hetprobe.hpp"
#include "schedulers/policies/hetprobe_i.hpp"
#include "schedulers/policies/hierarchical_dynamic.hpp"
#include "schedulers/policies/hierarchical_static.hpp"
#include "schedulers/policies/policy.hpp"

namespace hetmp::schedulers {

std::unique_ptr<LoopPolicy> make_policy(const Schedule& schedule, const LoopShape& shape, RegionHistory& history,
                                        const DecisionRules& rules) {
  switch (schedule.kind) {
  case ScheduleKind::Dynamic:
  case ScheduleKind::Guided:
    return std::make_unique<HierarchicalDynamic>(schedule, shape, rules);
  case ScheduleKind::HetProbe:
    return std::make_unique<HetProbePolicy>(shape, schedule.probe_percent, history, rules);
  case ScheduleKind::HetProbeI:
    return std::make_unique<HetProbeI>(shape, schedule.probe_percent, history, rules);
  case ScheduleKind::Auto: // the best of those that need no history
    return std::make_unique<HierarchicalDynamic>(Schedule{ScheduleKind::Guided, schedule.chunk}, shape, rules);
  case ScheduleKind::Static:
    break;
  }
  return std::make_unique<HierarchicalStatic>(shape, CoreSpeeds{rules.speeds}, rules.in_node);
}

} // namespace hetmp::schedulers
