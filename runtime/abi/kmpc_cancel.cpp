// Cancellation, as clang and gcc ask for it.
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmp_cancel.hpp"

using namespace hetmp::runtime;

namespace {
constexpr int exit_code_not_implemented = 70; // EX_SOFTWARE of sysexits.h
} // namespace

/// Whether the construct was cancelled.
HETMP_ENTRY int32_t __kmpc_cancel(const SourceLocation*, int32_t gtid, int32_t kind) {
  return cancel(task_of(gtid), cancelled_of_kmp(kind));
}

HETMP_ENTRY int32_t __kmpc_cancellationpoint(const SourceLocation*, int32_t gtid, int32_t kind) {
  return is_cancelled(task_of(gtid), cancelled_of_kmp(kind));
}

HETMP_ENTRY int32_t __kmpc_cancel_barrier(const SourceLocation*, int32_t gtid) {
  return cancel_barrier(task_of(gtid));
}

// ---- gcc; its constructs have the values of Cancelled

/// Where clang's programs meet at a barrier when a region is cancelled, gcc's just leave, and others may be waiting for them.
HETMP_ENTRY bool GOMP_cancel(int construct, bool condition) {
  if (Cancelled(construct) == Cancelled::Parallel && program_icvs().cancellation)
    hetmp::die(exit_code_not_implemented, "cancel parallel, as gcc compiles it, is not implemented yet");
  ImplicitTask& task = current_task();
  return condition ? cancel(task, Cancelled(construct)) : is_cancelled(task, Cancelled(construct));
}

HETMP_ENTRY bool GOMP_cancellation_point(int construct) {
  return is_cancelled(current_task(), Cancelled(construct));
}

HETMP_ENTRY bool GOMP_barrier_cancel() {
  return cancel_barrier(current_task());
}

HETMP_ENTRY bool GOMP_loop_end_cancel() {
  return cancel_barrier(current_task());
}

HETMP_ENTRY bool GOMP_sections_end_cancel() {
  return cancel_barrier(current_task());
}
