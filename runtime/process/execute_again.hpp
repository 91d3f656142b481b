// Node processes need the DSM library in place before anything allocates, and threads without restartable sequences:
// both are decided when a program is executed. So the library's constructor executes it once more.
#pragma once

#include "dsm/launch_plan.hpp"

namespace hetmp::runtime {

/// Executes the program again, with the same arguments, under the DSM library, to become nodes by this plan (its
/// `process` is filled in). Returns only if that is impossible, after one line that says why.
void execute_again_under_dsm(dsm::LaunchPlan plan);

/// Whether this process was executed by the above. Without the DSM library in it then, another execution would end the
/// same way.
bool was_executed_again();

/// Takes what the first added to the environment out again, so that programs which this one starts do not inherit it.
void clean_environment();

} // namespace hetmp::runtime
