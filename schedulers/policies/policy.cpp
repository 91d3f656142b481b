#include "schedulers/policies/policy.hpp"

namespace hetmp::schedulers {

void LoopPolicy::report(uint32_t node, const NodeMeasurement& done) {}

} // namespace hetmp::schedulers
