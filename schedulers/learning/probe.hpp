// The probe of a HetProbe loop: the same number of iterations for every thread, and the same ones on every
// visit, so that times compare and data settles on the nodes that use it.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>

namespace hetmp::schedulers {

/// The probe iterations of team thread `thread`: [thread x share, (thread + 1) x share). The share is
/// `percent` of the loop divided by `threads`, rounded down, but at least 1 if the loop has an iteration for
/// each thread; 0 if not. A percentage outside (0, 100] counts as the nearest sensible one.
Range probe_share(uint64_t trips, uint32_t threads, double percent, uint32_t thread);

/// What is left once every thread has done its probe share.
Range after_probe(uint64_t trips, uint32_t threads, double percent);

/// False if the loop is too short to learn from: fewer than two iterations a thread, or nothing to probe.
bool worth_probing(uint64_t trips, uint32_t threads, double percent);

} // namespace hetmp::schedulers
