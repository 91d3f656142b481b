// gcc's barriers, single, critical sections, atomic updates, ordered.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/atomic_update.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/critical.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/current_thread.hpp"

using namespace hetmp::runtime;

namespace {
CriticalName unnamed{};
} // namespace

HETMP_ENTRY void GOMP_barrier() { team_barrier(current_task(), __builtin_return_address(0)); }

HETMP_ENTRY bool GOMP_single_start() { return begin_single(current_task()); }

/// Null for the thread that is to execute the construct, the data that it has left for the others.
HETMP_ENTRY void* GOMP_single_copy_start() {
  ImplicitTask& task = current_task();
  return begin_single(task) ? nullptr : broadcast_pointer(task, nullptr);
}

/// The compiler puts a barrier behind it: the data live on the executing thread's stack.
HETMP_ENTRY void GOMP_single_copy_end(void* data) { broadcast_pointer(current_task(), data); }

HETMP_ENTRY void GOMP_critical_start() { enter_critical(&unnamed); }

HETMP_ENTRY void GOMP_critical_end() { leave_critical(&unnamed); }

/// `name`: a word of the program's, all programs' objects agree on it.
HETMP_ENTRY void GOMP_critical_name_start(void** name) { enter_critical(reinterpret_cast<CriticalName*>(name)); }

HETMP_ENTRY void GOMP_critical_name_end(void** name) { leave_critical(reinterpret_cast<CriticalName*>(name)); }

/// With clang's: a variable may be updated by code of both compilers.
HETMP_ENTRY void GOMP_atomic_start() { lock_atomics(); }

HETMP_ENTRY void GOMP_atomic_end() { unlock_atomics(); }

HETMP_ENTRY void GOMP_ordered_start() { begin_ordered(current_task()); }

HETMP_ENTRY void GOMP_ordered_end() { end_ordered(current_task()); }
