// The kinds of cores of a machine whose cores are not all alike, from the plugin that knows the machine's topology.
#pragma once

#include <string>
#include <vector>

namespace hetmp::affinity {

struct CoreKind {
  std::vector<int> cpus; ///< ascending
  int rank = -1;         ///< the higher, the faster; -1: the machine does not tell
  // What the machine tells of the speed of one CPU; 0: nothing.
  double capacity = 0; ///< work in a time, relative to the machine's fastest CPU (ARM)
  double max_mhz = 0;
  double base_mhz = 0;
};

struct CoreKinds {
  std::vector<CoreKind> kinds; ///< disjoint; empty if there is but one kind, or the machine tells of none
  std::string problem;         ///< why nothing could be asked; else empty
};

/// As the plugin in `folder` tells it, which is loaded for that.
CoreKinds read_core_kinds(const std::string& folder);

/// The same with the plugin beside this library or program.
CoreKinds read_core_kinds();

} // namespace hetmp::affinity
