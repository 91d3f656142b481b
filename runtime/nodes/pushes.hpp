// Pages that a node sends ahead because it knows who will read them.
#pragma once

#include "dsm/fabric.hpp"
#include "runtime/global/team_description.hpp"

namespace hetmp::runtime {

/// A leader's copies for a reduction go to node 0, which combines them.
void push_copies(const dsm::Fabric& fabric, void* copies, uint32_t variables);

/// A region has begun on all other nodes if `part` is the last one: they may read what its arguments point to.
void offer_arguments(const dsm::Fabric& fabric, const TeamDescription& part);

} // namespace hetmp::runtime
