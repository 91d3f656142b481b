// Hidden helper threads: they execute target tasks, so that the threads of a team go on meanwhile.
//
// There is none before the first such task is ready, and another one is made only when all are at work. Idle ones
// sleep. A helper is of no team: to the task it is the initial thread of a device, alone, and to the task's team it is
// somebody outside who completes tasks.
#pragma once

#include "runtime/task_graph/task.hpp"

namespace hetmp::runtime {

/// Whether helpers may execute the task, which has been generated as a target task. Not if it is included in a final
/// one, and not if it can take part in a reduction: those have a copy of their variables for each thread of the team.
bool suits_helpers(const ExplicitTask& task);

/// Has a ready task executed by a helper, or by its team if the system refuses the first helper a thread. Any thread.
void give_to_helpers(ExplicitTask& task);

/// In a forked child: the helpers do not exist here, and neither do the tasks they had.
void forget_helpers();

} // namespace hetmp::runtime
