// Cancellation, as clang and gcc ask for it.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmp_cancel.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/cancellation.hpp"

using namespace hetmp::runtime;

namespace {

int flag_of(Cancelled what) {
  switch (what) {
  case Cancelled::Parallel:
    return ompt::cancels_parallel;
  case Cancelled::Loop:
    return ompt::cancels_loop;
  case Cancelled::Sections:
    return ompt::cancels_sections;
  default:
    return ompt::cancels_taskgroup;
  }
}

/// `is_cancelled`; where it is, a tool is told.
bool told(bool is_cancelled, Cancelled what, int how, const void* caller) {
  if (is_cancelled && ompt::observed()) [[unlikely]]
    ompt::entered(caller, [&] { ompt::tell_cancel(flag_of(what) | how); });
  return is_cancelled;
}

} // namespace

/// Whether the construct was cancelled.
HETMP_ENTRY int32_t __kmpc_cancel(const SourceLocation*, int32_t gtid, int32_t kind) {
  return told(cancel(task_of(gtid), cancelled_of_kmp(kind)), cancelled_of_kmp(kind), ompt::cancel_activated,
              __builtin_return_address(0));
}

HETMP_ENTRY int32_t __kmpc_cancellationpoint(const SourceLocation*, int32_t gtid, int32_t kind) {
  return told(is_cancelled(task_of(gtid), cancelled_of_kmp(kind)), cancelled_of_kmp(kind), ompt::cancel_detected,
              __builtin_return_address(0));
}

HETMP_ENTRY int32_t __kmpc_cancel_barrier(const SourceLocation* location, int32_t gtid) {
  const void* const caller = __builtin_return_address(0);
  return ompt::entered(
      caller, [&] { return cancel_barrier(task_of(gtid), caller); }, kind_of_barrier(location));
}

namespace {

bool cancel_at(const void* caller, ompt::SyncKind kind) {
  return ompt::entered(
      caller, [&] { return cancel_barrier(current_task(), caller); }, kind);
}

} // namespace

// ---- gcc; its constructs have the values of Cancelled

HETMP_ENTRY bool GOMP_cancel(int construct, bool condition) {
  ImplicitTask& task = current_task();
  return told(condition ? cancel(task, Cancelled(construct)) : is_cancelled(task, Cancelled(construct)),
              Cancelled(construct), condition ? ompt::cancel_activated : ompt::cancel_detected,
              __builtin_return_address(0));
}

HETMP_ENTRY bool GOMP_cancellation_point(int construct) {
  return told(is_cancelled(current_task(), Cancelled(construct)), Cancelled(construct), ompt::cancel_detected,
              __builtin_return_address(0));
}

HETMP_ENTRY bool GOMP_barrier_cancel() {
  return cancel_at(__builtin_return_address(0), ompt::SyncKind::BarrierExplicit);
}
HETMP_ENTRY bool GOMP_loop_end_cancel() {
  return cancel_at(__builtin_return_address(0), ompt::SyncKind::BarrierImplicitWorkshare);
}
HETMP_ENTRY bool GOMP_sections_end_cancel() {
  return cancel_at(__builtin_return_address(0), ompt::SyncKind::BarrierImplicitWorkshare);
}
