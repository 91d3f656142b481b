// Whether a call of one of these functions is the program's.
#pragma once

#include "dsm/process/node_process.hpp"
#include "dsm/process/private_threads.hpp"

namespace hetmp::dsm {

/// Null where the process is no node, and for threads and errands of this library's own, whose memory is private.
inline NodeProcess* process_of_caller() { return must_allocate_privately() ? nullptr : NodeProcess::instance(); }

} // namespace hetmp::dsm
