// What a tool (OMPT) is told of explicit tasks: their making and their dependences, and what has become of them.
#pragma once

#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task.hpp"

#include <vector>

namespace hetmp::runtime {

/// `undeferred`: whoever generates it executes it, because it must. Gives it its record.
HETMP_TOOL_ONLY void tell_creation(ExplicitTask& task, bool undeferred, const std::vector<Dependence>& dependences);

/// Its thread has executed what there was to execute of it for now, and goes back to what it did `before`.
HETMP_TOOL_ONLY void tell_left(const ExplicitTask& task, ompt::TaskRecord* before);

/// The rest of it is another part's, which any thread may begin from now on: this one tells nothing more of it but that
/// it is left.
inline void hand_on_observed() {
  if (ompt::ThreadRecord* const self = ompt::observed()) [[unlikely]]
    self->handed_on = true;
}

/// A taskwait with dependences is like a task without code: made; and, when it has waited, complete.
HETMP_TOOL_ONLY ompt::TaskRecord* tell_taskwait(const std::vector<Dependence>& dependences, bool nowait);
HETMP_TOOL_ONLY void tell_taskwait_over(ompt::TaskRecord* taskwait);

} // namespace hetmp::runtime
