// Cutting a loop into one contiguous share for each node, in proportion to how fast the nodes are.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Node i's share of `all`, for i = 0 .. nodes-1, in proportion to speed[i] x threads[i]. The shares tile
/// `all` exactly, in node order; a node without speed (zero, negative, not finite) or without threads gets an
/// empty one. If no node has speed, threads alone count; if none has threads either, node 0 gets everything.
/// The boundaries are computed with integers from weights rounded to 1 part in 2^31: every node that computes
/// them gets the same ones.
std::vector<Range> split_by_speed(Range all, const double* speed, const uint32_t* threads, uint32_t nodes);

/// Which end of its share a node works from, where shares may change meanwhile: nodes with odd numbers from the end. So
/// it is the common border of neighbours that moves.
constexpr bool takes_from_end(uint32_t node) { return node % 2 != 0; }

} // namespace hetmp::schedulers
