// taskloop: tasks copied from a pattern, each with bounds of its own.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmp_task.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/task_memory.hpp"
#include "runtime/tasking/taskloop.hpp"

#include <utility>

using namespace hetmp::runtime;

/// Copies what is not to be copied byte by byte, and notes whether the task has the last iteration.
using KmpTaskCopy = void (*)(KmpTask* to, KmpTask* from, int32_t last);

namespace {

/// Where the pattern keeps the bounds of a task; a copy keeps them at the same distance from its beginning.
struct Bounds {
  ptrdiff_t lower, upper;

  uint64_t& lower_of(KmpTask* task) const { return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(task) + lower); }
  uint64_t& upper_of(KmpTask* task) const { return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(task) + upper); }
};

void generate(Thread& self, KmpTask* pattern, bool deferred, const Bounds& bounds, int64_t stride,
              const TaskloopDivision& division, uint64_t trips, KmpTaskCopy copy) {
  const uint64_t first = bounds.lower_of(pattern);
  KmpTask* used = nullptr; // its code has run, and it may be used again
  for (uint64_t number = 0; number < division.tasks; number++) {
    KmpTask* task = std::exchange(used, nullptr);
    if (task)
      copy_kmp_task_again(task, pattern);
    else
      task = copy_kmp_task(self, pattern);
    bounds.lower_of(task) = first + division.begin(number) * uint64_t(stride);
    bounds.upper_of(task) = first + (division.end(number, trips) - 1) * uint64_t(stride);
    if (copy)
      copy(task, pattern, number + 1 == division.tasks);
    ExplicitTask& record = ready_kmp_task(task);
    if (record.finalise && !deferred)
      execute_undeferred(self, record);
    else if (record.finalise || (deferred && !is_executed_at_once(self, record)))
      submit_task(self, record);
    else if (execute_and_keep(self, record))
      used = task;
  }
  if (used)
    discard_task(self, task_of_body(used));
}

void taskloop(int32_t gtid, KmpTask* pattern, bool deferred, uint64_t* lower, uint64_t* upper, int64_t stride, bool nogroup,
              int32_t clause, uint64_t value, bool strict, KmpTaskCopy copy) {
  Thread& self = thread_of(gtid);
  const Bounds bounds = {reinterpret_cast<char*>(lower) - reinterpret_cast<char*>(pattern),
                         reinterpret_cast<char*>(upper) - reinterpret_cast<char*>(pattern)};
  const uint64_t trips = taskloop_trips(*lower, *upper, stride);
  const TaskloopDivision division =
    divide_taskloop(trips, TaskloopClause(clause), value, strict, self.task->team->local_threads());
  if (!nogroup)
    begin_taskgroup(self);
  generate(self, pattern, deferred, bounds, stride, division, trips, copy);
  ExplicitTask& of_pattern = task_of_body(pattern);
  if (of_pattern.finalise)
    of_pattern.finalise(gtid, pattern);
  discard_task(self, of_pattern);
  if (!nogroup)
    end_taskgroup(self);
}

} // namespace

HETMP_ENTRY void __kmpc_taskloop(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t condition, uint64_t* lower,
                                 uint64_t* upper, int64_t stride, int32_t nogroup, int32_t clause, uint64_t value,
                                 KmpTaskCopy copy) {
  taskloop(gtid, task, condition != 0, lower, upper, stride, nogroup != 0, clause, value, false, copy);
}

HETMP_ENTRY void __kmpc_taskloop_5(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t condition, uint64_t* lower,
                                   uint64_t* upper, int64_t stride, int32_t nogroup, int32_t clause, uint64_t value,
                                   int32_t strict, KmpTaskCopy copy) {
  taskloop(gtid, task, condition != 0, lower, upper, stride, nogroup != 0, clause, value, strict != 0, copy);
}
