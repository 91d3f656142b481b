// Who is calling: its thread and the implicit task that this executes, for all who pass them on or need one of the two.
// What they have is thread.hpp's and implicit_task.hpp's.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

/// The calling thread; one that the runtime has not seen yet becomes an initial thread.
Thread& current_thread();
/// The calling thread's own, current_thread.hpp's and thread.cpp's alone. In static TLS space: locks look here each
/// time, and a call of the dynamic linker's would cost as much as the lock. The library has 32 bytes of such variables;
/// the C library keeps some hundred for libraries that are loaded late (dlopen).
struct OwnThread {
  Thread* record = nullptr; ///< null until the runtime knows it; and where it is executed on another node
  int number = -1;          ///< that compilers hand around; -1 until the runtime knows it
};
extern constinit thread_local OwnThread own_thread __attribute__((tls_model("initial-exec")));
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
