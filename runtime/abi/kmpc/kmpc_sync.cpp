// Barriers, single, master, critical sections, memory order.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/critical.hpp"
#include "runtime/sync/flush.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/team/implicit_task.hpp"

using namespace hetmp::runtime;

HETMP_ENTRY void __kmpc_barrier(const SourceLocation*, int32_t gtid) {
  team_barrier(task_of(gtid), __builtin_return_address(0));
}

HETMP_ENTRY void __kmpc_flush(const SourceLocation*) { flush(__builtin_frame_address(0), __builtin_return_address(0)); }

HETMP_ENTRY int32_t __kmpc_master(const SourceLocation*, int32_t gtid) { return task_of(gtid).number == 0; }

HETMP_ENTRY void __kmpc_end_master(const SourceLocation*, int32_t) {}

HETMP_ENTRY int32_t __kmpc_masked(const SourceLocation*, int32_t gtid, int32_t filter) {
  return int32_t(task_of(gtid).number) == filter;
}

HETMP_ENTRY void __kmpc_end_masked(const SourceLocation*, int32_t) {}

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

HETMP_ENTRY int32_t __kmpc_single(const SourceLocation*, int32_t gtid) { return begin_single(task_of(gtid)); }

HETMP_ENTRY void __kmpc_end_single(const SourceLocation*, int32_t) {}

HETMP_ENTRY void __kmpc_copyprivate(const SourceLocation*, int32_t gtid, size_t, void* variables,
                                    void (*copy)(void*, void*), int32_t did_it) {
  copyprivate(task_of(gtid), variables, copy, did_it != 0);
}

HETMP_ENTRY void* __kmpc_copyprivate_light(const SourceLocation*, int32_t gtid, void* variables) {
  return broadcast_pointer(task_of(gtid), variables);
}

HETMP_ENTRY void __kmpc_critical(const SourceLocation*, int32_t, CriticalName* name) { enter_critical(name); }

HETMP_ENTRY void __kmpc_critical_with_hint(const SourceLocation*, int32_t, CriticalName* name, uint32_t /*hint*/) {
  enter_critical(name);
}

HETMP_ENTRY void __kmpc_end_critical(const SourceLocation*, int32_t, CriticalName* name) { leave_critical(name); }

HETMP_ENTRY void __kmpc_scope(const SourceLocation*, int32_t, void*) {}

HETMP_ENTRY void __kmpc_end_scope(const SourceLocation*, int32_t, void*) {}
