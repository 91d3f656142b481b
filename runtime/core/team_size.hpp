// How many threads a parallel construct gets (OpenMP 5.1, section 2.6.1).
#pragma once

#include "runtime/core/thread.hpp"

namespace hetmp::runtime {

/// Of the thread's next team, by its clause, the ICVs and the limits; at least 1. The clause is used up.
uint32_t wanted_threads(Thread& self);

/// The same, or more: without the limits.
uint32_t most_threads_of_next_team(const Thread& self);

} // namespace hetmp::runtime
