// HETMP_NODES=kinds: a node for each kind of core, and how fast it is. Pure.
#pragma once

#include "runtime/affinity/core_kinds.hpp"

#include <vector>

namespace hetmp::runtime {

struct KindNodes {
  std::vector<std::vector<int>>
      cpus;                   ///< of each node; the fastest kind is node 0, where the program's serial part runs
  std::vector<double> speeds; ///< core speed ratios, 1 for the slowest; empty if the machine does not tell them
};

/// The kinds that `allowed` (ascending) has CPUs of. CPUs of no kind that the machine names belong to the last node. A
/// single node, with all of `allowed`, if these are all alike or of kinds that are not known.
KindNodes nodes_of_kinds(const std::vector<affinity::CoreKind>& kinds, const std::vector<int>& allowed);

} // namespace hetmp::runtime
