// `hetmp run` as a PMIx launcher (srun, mpirun, prterun) starts it: many times, and each process becomes the node that
// has its rank as number. What a launcher of hetmp's own would tell them they tell each other through PMIx.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hetmp::launch {

struct Rank {
  std::vector<std::string> command; ///< the program and its arguments
  std::string library;              ///< libhetmp.so here
  std::string problem;              ///< what speaks against running a node in this process, empty if nothing does
  std::string no_encryption;        ///< what speaks against one of an encrypted run
};

/// Becomes the program as one of the nodes. Nothing if this process is alone in its job: then there are no other nodes,
/// and PMIx has been left. Otherwise an exit code; what is wrong with any process has been said in one line, by rank 0.
std::optional<int> become_rank(const Rank& rank);

} // namespace hetmp::launch
