// Who is calling: its thread and the implicit task that this executes, for all who pass them on or need one of the two.
// What they have is thread.hpp's and implicit_task.hpp's.
#pragma once

#include "runtime/ompt/own_thread.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

/// The calling thread; one that the runtime has not seen yet becomes an initial thread.
Thread& current_thread();
/// The calling thread if the runtime knows it, else null.
inline Thread* known_thread() { return own_thread.record; }
/// The calling thread, given the number the compiler hands around.
Thread& thread_of(int gtid);

/// What these execute now.
ImplicitTask& current_task();
ImplicitTask& task_of(int gtid);

/// Threads of the process the runtime knows, workers included.
uint32_t known_threads();

} // namespace hetmp::runtime
