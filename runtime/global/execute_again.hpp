// Node processes need the DSM library in place before anything allocates, and threads without restartable sequences:
// both are decided when a program is executed. So the library's constructor executes it once more.
#pragma once

#include <vector>

namespace hetmp::runtime {

/// Executes the program again, with the same arguments, under the DSM library: one node for each element of `cpus`.
/// Returns only if that is impossible, after one line that says why.
void execute_again_under_dsm(const std::vector<std::vector<int>>& cpus);

/// Takes what the above added to the environment out again, so that programs which this one starts do not inherit it.
void clean_environment();

} // namespace hetmp::runtime
