// Explicit tasks: their generation, waiting for them, events.
#include "dsm/guest_tasks.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/abi/omp/omp_routines.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/undeferred.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/team_facts.hpp"

#include <cstdlib>

using namespace hetmp::runtime;

HETMP_ENTRY KmpTask* __kmpc_omp_task_alloc(const SourceLocation*, int32_t gtid, int32_t flags, size_t task_bytes,
                                           size_t shared_bytes, KmpTaskRoutine routine) {
  return make_kmp_task(thread_of(gtid), flags, task_bytes, shared_bytes, routine);
}

/// There is no device: what is to run on one runs on the host, by a hidden helper thread if there may be any.
HETMP_ENTRY KmpTask* __kmpc_omp_target_task_alloc(const SourceLocation*, int32_t gtid, int32_t flags, size_t task_bytes,
                                                  size_t shared_bytes, KmpTaskRoutine routine, int64_t /*device*/) {
  KmpTask* task = make_kmp_task(thread_of(gtid), flags, task_bytes, shared_bytes, routine);
  task_of_body(task).for_helpers = program_icvs().helper_threads != 0;
  return task;
}

HETMP_ENTRY int32_t __kmpc_omp_task(const SourceLocation*, int32_t gtid, KmpTask* task) {
  if (hetmp::dsm::next_part_follows(task_of(gtid).signs, task))
    return 0;
  Thread& self = thread_of(gtid);
  ompt::entered(__builtin_return_address(0), [&] { submit_task(self, ready_kmp_task(adopted(self, task))); });
  return 0;
}

HETMP_ENTRY int32_t __kmpc_omp_task_parts(const SourceLocation* source, int32_t gtid, KmpTask* task) {
  return __kmpc_omp_task(source, gtid, task);
}

HETMP_ENTRY void __kmpc_omp_task_begin_if0(const SourceLocation*, int32_t gtid, KmpTask* task) {
  if (hetmp::dsm::is_guest_task(task)) // it is a part of the one that generates it
    hetmp::dsm::GuestTask::of(task)->runs = true;
  else
    ompt::entered(__builtin_return_address(0), [&] { begin_undeferred(thread_of(gtid), task_of_body(task)); });
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-address"     // asked for only where a tool looks
  ompt::note_exit_frame(__builtin_frame_address(1)); // the caller executes the task's code itself
#pragma GCC diagnostic pop
}

HETMP_ENTRY void __kmpc_omp_task_complete_if0(const SourceLocation*, int32_t gtid, KmpTask* task) {
  if (!hetmp::dsm::is_guest_task(task)) [[likely]] {
    ompt::entered(__builtin_return_address(0), [&] { end_undeferred(thread_of(gtid), task_of_body(task)); });
    return;
  }
  hetmp::dsm::execute_further_parts(gtid, task);
  free(hetmp::dsm::GuestTask::of(task));
}

HETMP_ENTRY int32_t __kmpc_omp_taskwait(const SourceLocation*, int32_t gtid) {
  ompt::entered(__builtin_return_address(0), [&] { wait_for_children(thread_of(gtid)); });
  return 0;
}

HETMP_ENTRY int32_t __kmpc_omp_taskyield(const SourceLocation*, int32_t gtid, int /*end_part*/) {
  ompt::entered(__builtin_return_address(0), [&] { yield_to_task(thread_of(gtid)); });
  return 0;
}

HETMP_ENTRY void __kmpc_taskgroup(const SourceLocation*, int32_t gtid) {
  ompt::entered(__builtin_return_address(0), [&] { begin_taskgroup(thread_of(gtid)); });
}

HETMP_ENTRY void __kmpc_end_taskgroup(const SourceLocation*, int32_t gtid) {
  ompt::entered(__builtin_return_address(0), [&] { end_taskgroup(thread_of(gtid)); });
}

/// A wish; tasks stay where their data were made anyhow.
HETMP_ENTRY int32_t __kmpc_omp_reg_task_with_affinity(const SourceLocation*, int32_t, KmpTask*, int32_t, void*) {
  return 0;
}

/// A number that no other task has while this one exists.
HETMP_ENTRY uint64_t __kmpc_get_taskid() { return reinterpret_cast<uint64_t>(&generating_task(current_task())); }

/// Of the task that generated it; 0 for an implicit one.
HETMP_ENTRY uint64_t __kmpc_get_parent_taskid() {
  return reinterpret_cast<uint64_t>(generating_task(current_task()).parent);
}

/// Whether there is anybody to leave a task to.
HETMP_ENTRY int32_t __kmpc_omp_has_task_team(int32_t gtid) {
  return !has_nobody_to_leave_tasks_to(*task_of(gtid).team);
}

HETMP_ENTRY void** __kmpc_omp_get_target_async_handle_ptr(int32_t gtid) {
  ExplicitTask* task = task_of(gtid).explicit_task;
  return task ? &task->async_handle : nullptr;
}

/// The event's handle is the task itself.
HETMP_ENTRY void* __kmpc_task_allow_completion_event(const SourceLocation*, int32_t, KmpTask* task) {
  ExplicitTask& detachable = task_of_body(task);
  give_event(detachable);
  return &detachable;
}

void omp_fulfill_event(void* event) {
  if (event)
    complete_event(*static_cast<ExplicitTask*>(event));
}

/// Its interface passes the handle by value.
HETMP_ENTRY void omp_fulfill_event_(void* event) { omp_fulfill_event(event); }

/// By a thread of the team.
HETMP_ENTRY void __kmpc_proxy_task_completed(int32_t, KmpTask* task) { complete_event(task_of_body(task)); }

/// By any thread.
HETMP_ENTRY void __kmpc_proxy_task_completed_ooo(KmpTask* task) { complete_event(task_of_body(task)); }
