// What a thread goes back to when it has executed a task's code.
#pragma once

#include "base/check.hpp"
#include "runtime/task_graph/task.hpp"
#include "runtime/team/implicit_task.hpp"

#include <utility>

namespace hetmp::runtime {

inline void interrupt(ImplicitTask& implicit, ExplicitTask& task, ExplicitTask::Interrupted& interrupted) {
  HETMP_CHECK(implicit.explicit_task != &task && task.parent && task.depth == task.parent->depth + 1);
  interrupted.task = implicit.explicit_task;
  interrupted.constraint = implicit.constraint;
  interrupted.icvs = implicit.icvs;
  interrupted.part_follows = std::exchange(implicit.part_follows, false);
  implicit.explicit_task = &task;
  if (task.deferred) // otherwise its generating thread has what it inherits
    implicit.icvs = task.icvs.value;
  implicit.constraint = &task;
}

/// Whether a part of the task that has been executed is to follow at once.
inline bool resume(ImplicitTask& implicit, const ExplicitTask::Interrupted& interrupted) {
  implicit.explicit_task = interrupted.task;
  implicit.constraint = interrupted.constraint;
  implicit.icvs = interrupted.icvs;
  return std::exchange(implicit.part_follows, interrupted.part_follows);
}

} // namespace hetmp::runtime
