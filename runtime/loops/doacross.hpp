// Loops whose iterations wait for others of the same loop nest: `ordered(n)` with `depend(source)` and `depend(sink:
// ..)`.
//
// One bit an iteration says that it has been posted. The bits lie in the heap that nodes share, so the nest may run on
// several nodes.
#pragma once

#include "runtime/team/loop_progress.hpp"

namespace hetmp::runtime {

struct ImplicitTask;

/// Every thread of the team, before it begins the loop: the nest's loops from the outermost on, and for each what its
/// variable goes through.
void begin_doacross(ImplicitTask& task, const DoacrossDimension* dimensions, uint32_t count);

/// When the thread has had its iterations.
void end_doacross(ImplicitTask& task);

/// `values`: of the nest's variables. The iteration is posted, or waited for, if it is one of the nest's and there is
/// another thread: whether that is so.
bool post_iteration(ImplicitTask& task, const int64_t* values);
bool wait_for_iteration(ImplicitTask& task, const int64_t* values);

} // namespace hetmp::runtime
