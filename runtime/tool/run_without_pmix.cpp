#include "runtime/tool/run_under_pmix.hpp"

#include "base/message.hpp"

namespace hetmp::tool {

std::optional<int> run_under_pmix(const RunOptions&, const std::string&, const std::string&) {
  say("PMIX_RANK is set, as by a launcher that names the nodes, but this hetmp was built without PMIx; install "
      "libpmix-dev and build it again, or run the program without it by --nodes 1");
  return 1;
}

} // namespace hetmp::tool
