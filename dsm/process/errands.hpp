// What the service thread wants done that may wait for a lock or for shared memory. A thread of its own does it, made
// in good time (private_threads.hpp).
#pragma once

namespace hetmp::dsm {

/// Once, on each node, before the first errand. Not on the service thread.
void start_errands();

/// Service thread: have `body(argument)` called soon. Errands are done one after the other, in the order given.
void do_later(void (*body)(void*), void* argument);

} // namespace hetmp::dsm
