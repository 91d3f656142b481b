// Core speed ratios as the user gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::schedulers {

/// Core speed ratios given by the user (HETMP_CSR): element i is node i's, and counts for each of its
/// threads. Any real numbers from 0 up, at least one above 0; 0 = the node gets nothing. Fewer than there are
/// nodes: the rest count 1. Empty: all 1.
struct CoreSpeeds {
  std::vector<double> of_node;

  double operator[](uint32_t node) const { return node < of_node.size() ? of_node[node] : 1.0; }
  /// Every node's threads count the same, however many nodes there are: all are 1.
  bool all_equal() const;
};

struct ParsedCoreSpeeds {
  std::optional<CoreSpeeds> speeds; ///< nothing if the text is malformed
  std::string error;                ///< then: what is wrong, a short phrase
};

/// 3,1 or 3:1, node 0's ratio first: real numbers from 0 up, at least one above 0, at most one for each
/// possible node.
ParsedCoreSpeeds parse_core_speeds(std::string_view text);

} // namespace hetmp::schedulers
