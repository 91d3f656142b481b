// gcc's barriers, single, critical sections, atomic updates, ordered.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/atomic_update.hpp"
#include "runtime/abi/told_critical.hpp"
#include "runtime/abi/told_ordered.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"

using namespace hetmp::runtime;

namespace {
CriticalName unnamed{};

/// A program may begin with a critical section: then its thread, and a tool, are not known yet. A thread that is known
/// may be on another node (dsm/migration), and goes home at the lock.
void be_known() {
  if (own_thread.number < 0) [[unlikely]]
    current_thread();
}
} // namespace

HETMP_ENTRY void GOMP_barrier() {
  const void* const caller = __builtin_return_address(0);
  ImplicitTask& task = current_task();
  ompt::entered(
      caller, [&] { team_barrier(task, caller); }, ompt::SyncKind::BarrierExplicit);
}

/// Where its block ends gcc does not say.
HETMP_ENTRY bool GOMP_single_start() {
  const bool is_executed_here = begin_single(current_task());
  if (ompt::observed() && !is_executed_here) [[unlikely]]
    ompt::entered(__builtin_return_address(0), [] { ompt::tell_single_other(); });
  return is_executed_here;
}

/// Null for the thread that is to execute the construct, the data that it has left for the others.
HETMP_ENTRY void* GOMP_single_copy_start() {
  return ompt::entered(
      __builtin_return_address(0),
      [] {
        ImplicitTask& task = current_task();
        return begin_single(task) ? nullptr : broadcast_pointer(task, nullptr);
      },
      ompt::SyncKind::BarrierImplicitWorkshare);
}

/// The compiler puts a barrier behind it: the data live on the executing thread's stack.
HETMP_ENTRY void GOMP_single_copy_end(void* data) {
  ompt::entered(
      __builtin_return_address(0), [&] { broadcast_pointer(current_task(), data); },
      ompt::SyncKind::BarrierImplicitWorkshare);
}

HETMP_ENTRY void GOMP_critical_start() {
  be_known();
  enter_critical_from(__builtin_return_address(0), &unnamed);
}

HETMP_ENTRY void GOMP_critical_end() { leave_critical_from(__builtin_return_address(0), &unnamed); }

/// `name`: a word of the program's, all programs' objects agree on it.
HETMP_ENTRY void GOMP_critical_name_start(void** name) {
  be_known();
  enter_critical_from(__builtin_return_address(0), reinterpret_cast<CriticalName*>(name));
}

HETMP_ENTRY void GOMP_critical_name_end(void** name) {
  leave_critical_from(__builtin_return_address(0), reinterpret_cast<CriticalName*>(name));
}

/// With clang's: a variable may be updated by code of both compilers.
HETMP_ENTRY void GOMP_atomic_start() { lock_atomics(); }

HETMP_ENTRY void GOMP_atomic_end() { unlock_atomics(); }

HETMP_ENTRY void GOMP_ordered_start() { begin_ordered_from(__builtin_return_address(0), current_task()); }

HETMP_ENTRY void GOMP_ordered_end() { end_ordered_from(__builtin_return_address(0), current_task()); }
