#include "runtime/tool/run_under_pmix.hpp"

#include "runtime/launch/rank.hpp"

namespace hetmp::tool {

std::optional<int> run_under_pmix(const RunOptions& options, const std::string& library, const std::string& problem) {
  return launch::become_rank({options.command, library, problem, why_no_encryption(library)});
}

} // namespace hetmp::tool
