// Nothing else belongs here: see the declaration.
#include "schedulers/policies/policy_table.hpp"

namespace hetmp::schedulers {

std::span<const PolicyDescriptor> policy_table() { return built_in_policies(); }

} // namespace hetmp::schedulers
