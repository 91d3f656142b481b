#include "schedulers/policies/policy_table.hpp"

#include <algorithm>

namespace hetmp::schedulers {
namespace {

template <class Condition> const PolicyDescriptor* find_line(Condition condition) {
  const std::span<const PolicyDescriptor> table = policy_table();
  const auto found = std::find_if(table.begin(), table.end(), condition);
  return found == table.end() ? nullptr : &*found;
}

bool has_name(const PolicyDescriptor& policy, std::string_view name) {
  return policy.name == name ||
         std::find(policy.other_names.begin(), policy.other_names.end(), name) != policy.other_names.end();
}

} // namespace

const PolicyDescriptor* find_policy(ScheduleKind kind) {
  return find_line([kind](const PolicyDescriptor& policy) { return policy.kind == kind; });
}

const PolicyDescriptor& policy_of(ScheduleKind kind) { return *find_policy(kind); }

const PolicyDescriptor* find_policy(std::string_view name) {
  if (name.empty())
    return nullptr; // what unused other names are
  return find_line([name](const PolicyDescriptor& policy) { return policy.omp_number != 0 && has_name(policy, name); });
}

const PolicyDescriptor* find_policy_by_number(uint32_t omp_number) {
  if (omp_number == 0)
    return nullptr;
  return find_line([omp_number](const PolicyDescriptor& policy) { return policy.omp_number == omp_number; });
}

std::unique_ptr<LoopPolicy> make_policy(const Schedule& schedule, const LoopShape& shape, LoopHistory& history,
                                        const DecisionRules& rules) {
  return policy_of(schedule.kind).make(schedule, shape, history, rules);
}

} // namespace hetmp::schedulers
