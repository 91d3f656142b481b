// Node processes: what travels between their runtimes, by the DSM's fabric.
#pragma once

#include "dsm/fabric.hpp"

namespace hetmp::runtime {

/// Takes the fabric into use: messages are delivered from here on.
void attach_fabric(dsm::Fabric& fabric);

} // namespace hetmp::runtime
