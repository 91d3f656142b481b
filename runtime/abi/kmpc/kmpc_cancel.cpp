// Cancellation, as clang and gcc ask for it.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmp_cancel.hpp"
#include "runtime/sync/cancellation.hpp"

using namespace hetmp::runtime;

/// Whether the construct was cancelled.
HETMP_ENTRY int32_t __kmpc_cancel(const SourceLocation*, int32_t gtid, int32_t kind) {
  return cancel(task_of(gtid), cancelled_of_kmp(kind));
}

HETMP_ENTRY int32_t __kmpc_cancellationpoint(const SourceLocation*, int32_t gtid, int32_t kind) {
  return is_cancelled(task_of(gtid), cancelled_of_kmp(kind));
}

HETMP_ENTRY int32_t __kmpc_cancel_barrier(const SourceLocation*, int32_t gtid) {
  return cancel_barrier(task_of(gtid), __builtin_return_address(0));
}

// ---- gcc; its constructs have the values of Cancelled

HETMP_ENTRY bool GOMP_cancel(int construct, bool condition) {
  ImplicitTask& task = current_task();
  return condition ? cancel(task, Cancelled(construct)) : is_cancelled(task, Cancelled(construct));
}

HETMP_ENTRY bool GOMP_cancellation_point(int construct) { return is_cancelled(current_task(), Cancelled(construct)); }

HETMP_ENTRY bool GOMP_barrier_cancel() { return cancel_barrier(current_task(), __builtin_return_address(0)); }

HETMP_ENTRY bool GOMP_loop_end_cancel() { return cancel_barrier(current_task(), __builtin_return_address(0)); }

HETMP_ENTRY bool GOMP_sections_end_cancel() { return cancel_barrier(current_task(), __builtin_return_address(0)); }
