// What a node is told to run of a loop.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>

namespace hetmp::schedulers {

/// Iterations for one node, and how its threads share them.
struct Assignment {
  static constexpr uint32_t most_pieces = 8;
  enum class Distribution : uint8_t {
    EqualShares, ///< each thread one equal share, the same one for the same assignment
    Chunks,      ///< `chunk` iterations at a time, on demand
    Guided,      ///< shrinking chunks of at least `chunk` iterations, on demand; only a piece that is smaller makes a
                 ///< smaller one
  };
  Range pieces[most_pieces]; ///< ascending, disjoint, none empty; the first `piece_count` count
  uint32_t piece_count = 0;  ///< 0 = nothing to run
  Distribution distribution = Distribution::EqualShares;
  bool measured = false; ///< the node times its threads and counts its faults; see NodeMeasurement
  bool last = false;     ///< the node's part of the loop ends with this; it asks no more
  uint64_t chunk = 1;    ///< Chunks, Guided
  /// With `last`, and the same for every node: that many further visits of the loop by the same team, with as many
  /// iterations, get this same assignment again; nobody needs to ask.
  uint32_t repeats = 0;

  uint64_t size() const;
  /// Appends a range; an empty one is ignored. False if there is no place left.
  bool add(Range piece);
  bool operator==(const Assignment&) const = default;
};

} // namespace hetmp::schedulers
