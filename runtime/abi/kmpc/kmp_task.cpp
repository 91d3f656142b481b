#include "runtime/abi/kmpc/kmp_task.hpp"

#include "dsm/guest_tasks.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/invoke.hpp"
#include "runtime/task_graph/task_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hetmp::runtime {
namespace {

/// A compiler may make a `taskwait` with depend and nowait clauses a task without a routine.
HETMP_CALLS_PROGRAM void run(int gtid, void* body) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  KmpTask* task = static_cast<KmpTask*>(body);
  if (task->routine)
    task->routine(gtid, task);
  asm volatile("" ::: "memory"); // no jump instead of the call: a tool finds this frame below the program's
}

void destroy(int gtid, void* body) {
  KmpTask* task = static_cast<KmpTask*>(body);
  task->first.destructors(gtid, task);
}

constexpr size_t up_to_pointers(size_t bytes) { return (bytes + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*); }

} // namespace

KmpTask* make_kmp_task(Thread& self, int32_t flags, size_t task_bytes, size_t shared_bytes, KmpTaskRoutine routine) {
  TaskRequest request;
  request.function = run;
  request.finalise = (flags & task_has_destructors) != 0 ? destroy : nullptr;
  const size_t shareds_at = up_to_pointers(task_bytes);
  request.body_bytes = shareds_at + shared_bytes;
  request.tied = (flags & task_tied) != 0;
  request.is_final = (flags & task_final) != 0;
  request.has_event = (flags & (task_proxy | task_detachable)) != 0;
  ExplicitTask& made = make_task(self, request);
  made.has_kmp_priority = (flags & task_has_priority) != 0;
  made.movable = request.tied && !request.has_event;
  KmpTask* task = static_cast<KmpTask*>(made.body);
  *task = {};
  task->shareds = shared_bytes != 0 ? static_cast<char*>(made.body) + shareds_at : nullptr;
  task->routine = routine;
  return task;
}

ExplicitTask& make_kmp_task_like(Thread& self, const KmpTask* pattern) {
  const ExplicitTask& original = task_of_body(const_cast<KmpTask*>(pattern));
  TaskRequest request;
  request.function = original.function;
  request.finalise = original.finalise;
  request.body_bytes = original.body_bytes;
  request.tied = original.tied;
  request.is_final = original.is_final;
  ExplicitTask& made = make_task(self, request);
  made.has_kmp_priority = original.has_kmp_priority;
  made.movable = original.movable;
  return made;
}

void copy_kmp_task(KmpTask* task, const KmpTask* pattern) {
  memcpy(static_cast<void*>(task), pattern, task_of_body(task).body_bytes);
  if (pattern->shareds)
    task->shareds = reinterpret_cast<char*>(task) +
                    (static_cast<const char*>(pattern->shareds) - reinterpret_cast<const char*>(pattern));
}

/// What its variables are moved by memcpy() for has no destructors: others are made at home.
KmpTask* adopted(Thread& self, KmpTask* task) {
  if (!dsm::is_guest_task(task)) [[likely]]
    return task;
  dsm::GuestTask* const guest = dsm::GuestTask::of(task);
  KmpTask* const own =
      make_kmp_task(self, guest->tied ? task_tied : 0, guest->task_bytes, guest->shared_bytes, task->routine);
  copy_kmp_task(own, task);
  free(guest); // of the heap that nodes share
  return own;
}

ExplicitTask& ready_kmp_task(KmpTask* task) {
  ExplicitTask& ready = task_of_body(task);
  if (ready.has_kmp_priority && task->second.priority > 0)
    ready.priority = std::min(uint32_t(task->second.priority), program_icvs().max_task_priority);
  return ready;
}

} // namespace hetmp::runtime
