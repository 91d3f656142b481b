// How loops are placed on several nodes, as the user wants it (HETMP_* variables). Values only, fixed at start.
#pragma once

#include "schedulers/arithmetic/core_speeds.hpp"
#include "schedulers/learning/decision.hpp"

#include <string>

namespace hetmp::runtime {

/// HETMP_PLACEMENT: which parallel regions run on several nodes.
struct RegionChoice {
  enum class Kind : uint8_t {
    Auto,     ///< those that were seen to gain
    Origin,   ///< none
    All,      ///< all that can
    Lent,     ///< none; all that can are on one other node
    Random,   ///< drawn for each
    Journeys, ///< none; when threads go on elsewhere meanwhile is drawn
  } kind = Kind::All;
  uint64_t seed = 0; ///< of Random and Journeys
};

struct Placement {
  RegionChoice regions;
  schedulers::DecisionRules rules; ///< the interconnect's figures are filled in by runtime/nodes/node_setup
  std::string origin_of_figures;   ///< where those are from, in words; likewise
  schedulers::CoreSpeeds
      speeds;                ///< of static loops that are not placed: HETMP_CSR, also in rules.speeds, or the layout's
  bool static_loops = false; ///< HETMP_LOOPS=all: loops that the compiler divides are placed as well
};

/// Reads HETMP_CSR, HETMP_DECISION, HETMP_LOOPS, HETMP_MISS_THRESHOLD, HETMP_NODE_SCHEDULE, HETMP_PLACEMENT,
/// HETMP_PROBES and OMP_HET_PTG; each malformed one is complained about in one line and replaced by its default. The
/// layout has been read before.
Placement read_placement();

/// The program's placement; valid after the library's constructor.
Placement& placement();

} // namespace hetmp::runtime
