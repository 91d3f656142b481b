// What `hetmp run` does where srun, mpirun or another PMIx launcher has started it; a build without PMIx can only say
// that it cannot.
#pragma once

#include "runtime/tool/run.hpp"

#include <optional>

namespace hetmp::tool {

/// Runs the program as one of the nodes of its job. `problem`: what speaks against a node in this process, empty if
/// nothing does. Nothing if the job has no other process: then it is to be run as without PMIx. Otherwise an exit code.
std::optional<int> run_under_pmix(const RunOptions& options, const std::string& library, const std::string& problem);

} // namespace hetmp::tool
