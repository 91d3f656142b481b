// What the report says about where parallel regions ran, and why. Values only; the runtime fills them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::perf {

/// Why a region ran where it did, for who acts on it; `because` says it in words, with figures.
enum class PlacedReason : uint8_t {
  Other,
  Unknown,      ///< at home: not visited often enough
  Changes,      ///< at home: each visit is another one
  TooShort,     ///< at home: shorter than a meeting of nodes is worth
  Synchronises, ///< at home: nodes would wait for each other's messages
  NoBudget,     ///< at home: a trial could cost too much
  TooLittle,    ///< at home: too small a share of the run
  Lost,         ///< at home: several nodes were slower
  Trial,        ///< on several nodes, to see
  Gains,        ///< on several nodes
};

/// Why something else than what was learned decided.
enum class OtherReason : uint8_t { Other, ThreadVariables, FitsOrigin, AskedFor };

/// An outermost parallel region of which the program learned where it runs best.
struct PlacedRegion {
  std::string source;   ///< ident_t's source string; empty = unknown
  uint64_t address = 0; ///< of the outlined function
  std::string place;    ///< the same as "file+0xoffset", for addr2line; empty = unknown
  uint64_t home_visits = 0;
  uint64_t spread_visits = 0;                ///< on several nodes,
  uint64_t lent_visits = 0;                  ///< of these, with all threads on one other node
  double home_us = -1;                       ///< a visit's usual time at home; negative = not known
  double spread_us = -1;                     ///< likewise on several nodes
  double total_us = 0;                       ///< of all visits
  uint64_t stays = 0;                        ///< of its threads on other nodes, in visits at home (thread migration)
  double elsewhere_us = 0;                   ///< computed in them
  double gained_us = 0;                      ///< by them, less what they cost; below 0: lost
  bool spread = false;                       ///< it ran on several nodes in the end,
  uint64_t lent_to = 0;                      ///< or then on this one alone; 0: it did not
  std::string because;                       ///< why there
  PlacedReason reason = PlacedReason::Other; ///< the same for programs; not in files
};

/// Visits of outermost regions of which nothing was learned: something else decided.
struct OtherVisits {
  std::string why; ///< where they ran, and why there
  uint64_t visits = 0;
  OtherReason reason = OtherReason::Other; ///< not in files
};

struct PlacementRecord {
  std::string asked_for;     ///< HETMP_PLACEMENT as it was understood; empty = there is one node
  double run_us = 0;         ///< since the program began
  uint64_t trials = 0;       ///< of regions on several nodes
  double lost_us = 0;        ///< by those that were reversed
  double budget_left_us = 0; ///< that further trials may lose
  std::string no_journeys;   ///< why threads of regions at home do not go on elsewhere; empty: they may
  std::string unheeded;      ///< what of the words about loops had none to be for; empty: nothing
  std::vector<OtherVisits> others;
  std::vector<PlacedRegion> regions; ///< those that took most time first
};

} // namespace hetmp::perf
