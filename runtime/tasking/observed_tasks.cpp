#include "runtime/tasking/observed_tasks.hpp"

#include "base/check.hpp"
#include "runtime/tasking/execution.hpp"

#include <utility>

namespace hetmp::runtime {
namespace {

int kind_for_tools(const Dependence& item) {
  if (item.all_memory)
    return ompt::depends_out_all_memory;
  switch (item.kind) {
  case DependenceKind::In:
    return ompt::depends_in;
  case DependenceKind::MutexInOutSet:
    return ompt::depends_mutexinoutset;
  case DependenceKind::InOutSet:
    return ompt::depends_inoutset;
  default:
    return ompt::depends_inout;
  }
}

void tell(ompt::TaskRecord& task, const std::vector<Dependence>& dependences) {
  std::vector<ompt::Dependence> list;
  list.reserve(dependences.size());
  for (const Dependence& item : dependences)
    list.push_back({{.pointer = const_cast<void*>(item.address)}, kind_for_tools(item)});
  ompt::tell_dependences(task, list.data(), int(list.size()));
}

} // namespace

void tell_creation(ExplicitTask& task, bool undeferred, const std::vector<Dependence>& dependences) {
  const int flags = ompt::task_explicit | (undeferred ? ompt::task_undeferred : 0) |
                    (task.tied && !task.called_untied ? 0 : ompt::task_untied) | (task.is_final ? ompt::task_final : 0);
  HETMP_CHECK(!task.observed && task.parent);
  task.observed = ompt::task_is_created(flags, !dependences.empty(), task.body, task.body_bytes);
  if (!dependences.empty())
    tell(*task.observed, dependences);
}

void tell_left(const ExplicitTask& task, ompt::TaskRecord* before) {
  ompt::ThreadRecord* const self = ompt::observed();
  if (self && std::exchange(self->handed_on, false)) {
    ompt::part_is_left(*task.observed, before); // nothing else of the task is this thread's any more
    return;
  }
  ompt::TaskStatus status = ompt::TaskStatus::Complete;
  if (!task.begun)
    ompt::tell_discarded(*task.observed);
  // relaxed: who fulfils the event meanwhile is told by itself
  if (!task.begun || is_discarded(task))
    status = ompt::TaskStatus::Cancel;
  else if (task.has_event && task.pending.load(std::memory_order_relaxed) > 1)
    status = ompt::TaskStatus::Detach;
  ompt::task_is_left(*task.observed, status, before);
}

ompt::TaskRecord* tell_taskwait(const std::vector<Dependence>& dependences, bool nowait) {
  ompt::TaskRecord* const record = ompt::task_is_created(
      ompt::task_taskwait | ompt::task_mergeable | (nowait ? 0 : ompt::task_undeferred), true, nullptr, 0);
  tell(*record, dependences);
  return record;
}

void tell_taskwait_over(ompt::TaskRecord* taskwait) {
  ompt::tell_taskwait_complete(*taskwait);
  ompt::forget_task(taskwait);
}

} // namespace hetmp::runtime
