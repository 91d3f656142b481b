// taskloop: tasks copied from a pattern, each with bounds of its own.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/task_graph/taskloop.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/taskloop_tasks.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"

using namespace hetmp::runtime;

/// Copies what is not to be copied byte by byte, and notes whether the task has the last iteration.
using KmpTaskCopy = void (*)(KmpTask* to, KmpTask* from, int32_t last);

namespace {

/// Where the pattern keeps the bounds of a task; a copy keeps them at the same distance from its beginning.
struct Bounds {
  ptrdiff_t lower, upper;

  uint64_t& lower_of(KmpTask* task) const {
    return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(task) + lower);
  }
  uint64_t& upper_of(KmpTask* task) const {
    return *reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(task) + upper);
  }
};

/// From the pattern that the compiler has filled in, which ends with it.
class KmpTaskloop final : public TaskloopSource {
 public:
  KmpTaskloop(KmpTask* pattern, const Bounds& bounds, int64_t stride, const TaskloopDivision& division, uint64_t trips,
              KmpTaskCopy copy)
      : TaskloopSource(division.tasks, ready_kmp_task(pattern).priority), pattern_(pattern), bounds_(bounds),
        first_(bounds.lower_of(pattern)), stride_(uint64_t(stride)), division_(division), trips_(trips), copy_(copy) {}

  ~KmpTaskloop() override {
    Thread& self = current_thread();
    ExplicitTask& record = task_of_body(pattern_);
    if (record.finalise)
      record.finalise(self.gtid, pattern_);
    discard_task(self, record);
  }

  ExplicitTask& make(Thread& self) override { return make_kmp_task_like(self, pattern_); }

  ompt::DispatchChunk chunk(uint64_t number) const override {
    return {first_ + division_.begin(number) * stride_, division_.end(number, trips_) - division_.begin(number)};
  }

  void fill(ExplicitTask& task, uint64_t number) override {
    KmpTask* body = static_cast<KmpTask*>(task.body);
    copy_kmp_task(body, pattern_);
    bounds_.lower_of(body) = first_ + division_.begin(number) * stride_;
    bounds_.upper_of(body) = first_ + (division_.end(number, trips_) - 1) * stride_;
    if (copy_)
      copy_(body, pattern_, number + 1 == division_.tasks);
  }

 private:
  KmpTask* const pattern_;
  const Bounds bounds_;
  const uint64_t first_, stride_;
  const TaskloopDivision division_;
  const uint64_t trips_;
  const KmpTaskCopy copy_;
};

void taskloop(int32_t gtid, KmpTask* pattern, bool deferred, uint64_t* lower, uint64_t* upper, int64_t stride,
              bool nogroup, int32_t clause, uint64_t value, bool strict, KmpTaskCopy copy) {
  Thread& self = thread_of(gtid);
  const Bounds bounds = {reinterpret_cast<char*>(lower) - reinterpret_cast<char*>(pattern),
                         reinterpret_cast<char*>(upper) - reinterpret_cast<char*>(pattern)};
  const uint64_t trips = taskloop_trips(*lower, *upper, stride);
  const TaskloopDivision division =
      divide_taskloop(trips, TaskloopClause(clause), value, strict, local_threads_of(*self.task->team));
  if (ompt::observed()) [[unlikely]]
    ompt::work_begins(ompt::WorkKind::Taskloop, trips);
  if (!nogroup)
    begin_taskgroup(self);
  generate_taskloop(self, *new KmpTaskloop(adopted(self, pattern), bounds, stride, division, trips, copy),
                    deferred ? TaskloopExecution::MadeLate : TaskloopExecution::Undeferred);
  if (ompt::observed()) [[unlikely]]
    ompt::work_ends();
  if (!nogroup)
    end_taskgroup(self);
}

} // namespace

HETMP_ENTRY void __kmpc_taskloop(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t condition, uint64_t* lower,
                                 uint64_t* upper, int64_t stride, int32_t nogroup, int32_t clause, uint64_t value,
                                 KmpTaskCopy copy) {
  ompt::entered(__builtin_return_address(0), [&] {
    taskloop(gtid, task, condition != 0, lower, upper, stride, nogroup != 0, clause, value, false, copy);
  });
}

HETMP_ENTRY void __kmpc_taskloop_5(const SourceLocation*, int32_t gtid, KmpTask* task, int32_t condition,
                                   uint64_t* lower, uint64_t* upper, int64_t stride, int32_t nogroup, int32_t clause,
                                   uint64_t value, int32_t strict, KmpTaskCopy copy) {
  ompt::entered(__builtin_return_address(0), [&] {
    taskloop(gtid, task, condition != 0, lower, upper, stride, nogroup != 0, clause, value, strict != 0, copy);
  });
}
