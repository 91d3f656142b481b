// The one global level of this process.
#pragma once

#include "runtime/global/global_level.hpp"

namespace hetmp::runtime {

/// Null when the program runs on one node.
GlobalLevel* global_level();

} // namespace hetmp::runtime
