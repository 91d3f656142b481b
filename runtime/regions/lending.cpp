#include "runtime/regions/lending.hpp"

#include "runtime/process/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/team/late_members.hpp"

#include <algorithm>

namespace hetmp::runtime {

bool can_be_lent(const Construct& construct) {
  return several_processes() && !construct.observed && fabric->take_bound_call && !fabric->why_no_journeys() &&
         !threads_are_bound() && !regions_stay_at_home();
}

bool took_bound_call() { return fabric && fabric->take_bound_call && fabric->take_bound_call(); }

uint32_t late_members_of_loan(const TeamDescription& part) {
  const auto cpus = uint32_t(layout().cpus[part.node].size());
  return part.is_lent() ? members_to_begin_late(part.local_threads, cpus, part.microtask) : 0;
}

uint32_t node_to_lend_to(const std::vector<uint32_t>& cpus) {
  if (cpus.size() < 2)
    return 0;
  return uint32_t(std::max_element(cpus.begin() + 1, cpus.end()) - cpus.begin());
}

} // namespace hetmp::runtime
