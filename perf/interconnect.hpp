// What is known about the connection between the nodes of this program: by the user's word, by calibration,
// or by default.
#pragma once

#include "perf/profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::perf {

struct Interconnect {
  double threshold_us = 100; ///< fault period from which several nodes pay; without a measurement the paper's
                             ///< for its fast interconnect (section 3.4)
  double fault_us = 60;      ///< what a fault costs the thread that takes it
  std::string origin_of_figures = "default"; ///< of the threshold: "HETMP_FAULT_PERIOD_US", "profile FILE" or "default"
};

/// The name in profiles of the interconnect between node processes on one machine.
inline constexpr std::string_view shared_memory = "shared-memory";
/// That between node processes connected by TCP, wherever they are.
inline constexpr std::string_view tcp = "tcp";

/// Takes the profile's figures for node 0 and nodes 1 .. nodes-1 into `known`: the largest threshold and
/// cost, of all pairs in the profile if some of these were not measured. False if the profile has no entry of
/// this interconnect.
bool apply_profile(const std::vector<ProfileEntry>& entries, std::string_view interconnect, uint32_t nodes,
                   Interconnect& known);

/// For a program on `nodes` nodes. HETMP_FAULT_PERIOD_US settles the threshold; the profile gives what is
/// left; an empty `interconnect` (nodes that share memory, or one node) means that there is no profile to
/// look for. Says one line for each of the two that is wrong; a profile that nobody named may be missing.
Interconnect find_interconnect(std::string_view interconnect, uint32_t nodes);

} // namespace hetmp::perf
