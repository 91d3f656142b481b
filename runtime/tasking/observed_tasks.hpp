// What a tool (OMPT) is told of explicit tasks: their making and their dependences, and what has become of them.
#pragma once

#include "runtime/ompt/events.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task.hpp"

#include <vector>

namespace hetmp::runtime {

/// `undeferred`: whoever generates it executes it, because it must. Gives it its record.
HETMP_TOOL_ONLY void tell_creation(ExplicitTask& task, bool undeferred, const std::vector<Dependence>& dependences);

/// Its thread has executed what there was to execute of it for now.
HETMP_TOOL_ONLY void tell_left(const ExplicitTask& task, bool part_follows);

/// A taskwait with dependences is like a task without code: made; and, when it has waited, complete.
HETMP_TOOL_ONLY ompt::TaskRecord* tell_taskwait(const std::vector<Dependence>& dependences, bool nowait);
HETMP_TOOL_ONLY void tell_taskwait_over(ompt::TaskRecord* taskwait);

} // namespace hetmp::runtime
