// The thread that leads a node's part of one team after the other, so that thread numbers (and with them threadprivate
// variables) stay with the same threads from region to region. Only nodes inside one process: a node process has a
// resident leader anyway.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

struct Thread;

/// The node's resident. Null if it is at work for another team (of another initial thread), or there can be none.
Thread* take_resident(uint32_t node);

/// By the resident, when all but the join of its part is done.
void release_resident(Thread& resident);

/// For a forked child.
void forget_residents();

} // namespace hetmp::runtime
