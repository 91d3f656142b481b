// Barriers, single, master, critical sections, memory order.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/told_critical.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/critical.hpp"
#include "runtime/sync/flush.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/implicit_task.hpp"

using namespace hetmp::runtime;

namespace {

HETMP_TOOL_ONLY void tell_flush_from(const void* caller) {
  ompt::entered(caller, [] { ompt::tell_flush(); });
}

HETMP_TOOL_ONLY void tell_masked_from(const void* caller, ompt::Endpoint endpoint) {
  ompt::entered(caller, [&] { ompt::tell_masked(endpoint); });
}

/// Of a `masked` construct whose block the thread executes; returns that it does.
int32_t begin_masked(const void* caller) {
  if (ompt::observed()) [[unlikely]]
    tell_masked_from(caller, ompt::Endpoint::Begin);
  return 1;
}

void end_masked(const void* caller) {
  if (ompt::observed()) [[unlikely]]
    tell_masked_from(caller, ompt::Endpoint::End);
}

HETMP_TOOL_ONLY void tell_single(const void* caller, bool is_executed_here) {
  ompt::entered(caller, [&] {
    is_executed_here ? ompt::work_begins(ompt::WorkKind::SingleExecutor, 1) : ompt::tell_single_other();
  });
}

HETMP_TOOL_ONLY void tell_end_of_work(const void* caller) {
  ompt::entered(caller, [] { ompt::work_ends(); });
}

void end_work(const void* caller) {
  if (ompt::observed()) [[unlikely]]
    tell_end_of_work(caller);
}

} // namespace

HETMP_ENTRY void __kmpc_barrier(const SourceLocation* location, int32_t gtid) {
  const void* const caller = __builtin_return_address(0);
  ompt::entered(
      caller, [&] { team_barrier(task_of(gtid), caller); }, kind_of_barrier(location));
}

HETMP_ENTRY void __kmpc_flush(const SourceLocation*) {
  const void* const caller = __builtin_return_address(0);
  flush(__builtin_frame_address(0), caller);
  if (ompt::observed()) [[unlikely]]
    tell_flush_from(caller);
}

HETMP_ENTRY int32_t __kmpc_master(const SourceLocation*, int32_t gtid) {
  return task_of(gtid).number == 0 ? begin_masked(__builtin_return_address(0)) : 0;
}

HETMP_ENTRY void __kmpc_end_master(const SourceLocation*, int32_t) { end_masked(__builtin_return_address(0)); }

HETMP_ENTRY int32_t __kmpc_masked(const SourceLocation*, int32_t gtid, int32_t filter) {
  return int32_t(task_of(gtid).number) == filter ? begin_masked(__builtin_return_address(0)) : 0;
}

HETMP_ENTRY void __kmpc_end_masked(const SourceLocation*, int32_t) { end_masked(__builtin_return_address(0)); }

/// A barrier whose first thread returns 1 before the others are let go: they wait for its end_barrier_master.
HETMP_ENTRY int32_t __kmpc_barrier_master(const SourceLocation*, int32_t gtid) {
  ImplicitTask& task = task_of(gtid);
  team_barrier(task);
  if (task.number == 0)
    return 1;
  team_barrier(task);
  return 0;
}

HETMP_ENTRY void __kmpc_end_barrier_master(const SourceLocation*, int32_t gtid) { team_barrier(task_of(gtid)); }

HETMP_ENTRY int32_t __kmpc_barrier_master_nowait(const SourceLocation*, int32_t gtid) {
  ImplicitTask& task = task_of(gtid);
  team_barrier(task);
  return task.number == 0;
}

HETMP_ENTRY int32_t __kmpc_single(const SourceLocation*, int32_t gtid) {
  const bool is_executed_here = begin_single(task_of(gtid));
  if (ompt::observed()) [[unlikely]]
    tell_single(__builtin_return_address(0), is_executed_here);
  return is_executed_here;
}

HETMP_ENTRY void __kmpc_end_single(const SourceLocation*, int32_t) { end_work(__builtin_return_address(0)); }

HETMP_ENTRY void __kmpc_copyprivate(const SourceLocation*, int32_t gtid, size_t, void* variables,
                                    void (*copy)(void*, void*), int32_t did_it) {
  ompt::entered(
      __builtin_return_address(0), [&] { copyprivate(task_of(gtid), variables, copy, did_it != 0); },
      ompt::SyncKind::BarrierImplicitWorkshare);
}

HETMP_ENTRY void* __kmpc_copyprivate_light(const SourceLocation*, int32_t gtid, void* variables) {
  return ompt::entered(
      __builtin_return_address(0), [&] { return broadcast_pointer(task_of(gtid), variables); },
      ompt::SyncKind::BarrierImplicitWorkshare);
}

HETMP_ENTRY void __kmpc_critical(const SourceLocation*, int32_t, CriticalName* name) {
  enter_critical_from(__builtin_return_address(0), name);
}

HETMP_ENTRY void __kmpc_critical_with_hint(const SourceLocation*, int32_t, CriticalName* name, uint32_t hint) {
  enter_critical_from(__builtin_return_address(0), name, hint);
}

HETMP_ENTRY void __kmpc_end_critical(const SourceLocation*, int32_t, CriticalName* name) {
  leave_critical_from(__builtin_return_address(0), name);
}

HETMP_ENTRY void __kmpc_scope(const SourceLocation*, int32_t, void*) {
  if (ompt::observed()) [[unlikely]]
    ompt::entered(__builtin_return_address(0), [] { ompt::work_begins(ompt::WorkKind::Scope, 1); });
}

HETMP_ENTRY void __kmpc_end_scope(const SourceLocation*, int32_t, void*) { end_work(__builtin_return_address(0)); }
