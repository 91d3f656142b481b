// What the report says, most of it about work-sharing regions. Values only; the runtime's global level fills them.
#pragma once

#include "perf/report/placement_record.hpp"
#include "perf/report/report_pages.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::perf {

/// Where a construct stands in the program's text.
struct SourceLocation {
  std::string file;     ///< as the compiler was given it; empty = unknown
  std::string function; ///< empty = unknown
  uint32_t line = 0;    ///< 0 = unknown
  uint32_t column = 0;
  bool operator==(const SourceLocation&) const = default;
};

/// Reads an ident_t's source string, ";file;function;line;column;;". Clang without -g says "unknown" and 0.
/// Text of another form gives an unknown location.
SourceLocation parse_source(std::string_view ident_source);

struct NodeRecord {
  uint32_t threads = 0;
  double mean_us = 0;  ///< last probe: time of a share, mean over the node's threads
  uint64_t faults = 0; ///< last probe: DSM faults of the node
  double speed = 0;    ///< core speed ratio, smoothed; slowest node = 1
  double fault_period_us = std::numeric_limits<double>::infinity(); ///< smoothed
  // `faults` by kind, where that is known
  uint64_t read_misses = 0;
  uint64_t write_misses = 0;
  uint64_t write_upgrades = 0;
  uint64_t asked_locks = 0;                ///< that another node may have had
  double misses_per_kilo_instruction = -1; ///< cache misses by hardware counters; negative = not counted
};

struct RegionRecord {
  std::string source;   ///< ident_t's source string
  uint64_t address = 0; ///< the loop was begun from here: tells loops apart when the source is unknown
  std::string place;    ///< the same as "file+0xoffset", for addr2line; empty = unknown
  uint64_t visits = 0;
  uint64_t probed_visits = 0;
  uint64_t most_probes = 0; ///< visits that are probed before the decision stands
  uint64_t trips = 0;       ///< iterations on the last visit
  std::vector<NodeRecord> nodes;
  double fault_period_us = std::numeric_limits<double>::infinity(); ///< infinity = no faults
  double threshold_us = 0;                                          ///< what the fault period was compared with
  std::string decision;                                             ///< "all nodes", "node 0"; empty = none was made
  std::string reason;
  double total_us = 0; ///< time in the loop over all visits; 0 = not measured
  std::string policy;  ///< what dealt out the iterations: "hetprobe", "static (placed)"; empty = not told
  std::string mode;    ///< how it decided: "threshold", "prediction"; empty = it does not decide, or not told
  /// Of each node alone, then of those that were chosen; empty = nothing was predicted.
  std::vector<double> predicted_us_per_iteration;
  uint64_t exchanges = 0; ///< questions that nodes asked on the last visit; 0 = not counted
  uint64_t audits = 0;    ///< visits that were probed again after the decision stood
};

/// Explicit tasks that nodes offered one another.
struct TaskTotals {
  uint64_t offered = 0;            ///< again, if nobody was waiting the first time
  uint64_t executed_elsewhere = 0; ///< by another node than the one that generated them
  double elsewhere_us = 0;         ///< what those took there, together
  std::string kept_because = {};   ///< why nodes keep theirs; empty = they need not
};

struct Report {
  uint32_t nodes = 1;
  std::vector<RegionRecord> regions = {};
  /// Which events were counted, or why none (perf/counters.hpp); empty = nobody wanted to know.
  std::string counters = {};
  /// Where the threshold of fault periods comes from (perf/interconnect.hpp); empty = not told.
  std::string threshold_from = {};
  /// What connects node processes, where that is not memory of one machine; empty elsewhere.
  std::string interconnect = {};
  TaskTotals tasks = {};
  // Of node processes only; empty elsewhere.
  double elapsed_us = 0;                    ///< of the program; 0 = not told
  std::vector<NodeFaultTotals> totals = {}; ///< of each node
  std::vector<HotPage> pages = {};          ///< in the order of addresses
  std::vector<BouncingPages> bouncing = {}; ///< those that cost most first
  PlacementRecord placement = {};
};

} // namespace hetmp::perf
