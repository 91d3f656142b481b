// What is left of a loop while its nodes work on it, divided into a region for each of them (the paper,
// section 3.3).
#pragma once

#include "schedulers/arithmetic/iteration_set.hpp"
#include "schedulers/policies/assignment.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// Invariant: the regions are disjoint, and together exactly the iterations that have not been handed out. An
/// iteration leaves them only by take(), which returns it to be handed out: so each is handed out at most
/// once, and exactly once when nothing is left.
class NodeRegions {
 public:
  /// All iterations below `trips` are in node 0's region, until they are divided.
  NodeRegions(uint32_t nodes, uint64_t trips);

  uint64_t left() const { return left_; }
  uint64_t left(uint32_t node) const { return regions_[node].size(); }
  const IterationSet& region(uint32_t node) const { return regions_[node]; }

  /// Divides what is left of `range` anew: node i gets a part by weight[i], contiguous but for the holes of
  /// what is done, in node order. Weights may be any numbers; if none is above 0, node `otherwise` gets
  /// everything.
  void divide(const std::vector<double>& weight, uint32_t otherwise, Range range);

  /// Moves the iterations of `range` that are left into the region of `node`.
  void give(uint32_t node, Range range);

  /// Moves the last `count` iterations of `from`'s region, by the order it works in, into `to`'s.
  void move_back(uint32_t from, uint32_t to, uint64_t count);

  /// Takes the next `count` iterations of `node`'s region, from the end that it works from (takes_from_end), or as many
  /// as are in the next Assignment::most_pieces ranges of them, and puts them into `assignment`, which is empty.
  /// Returns how many.
  uint64_t take(uint32_t node, uint64_t count, Assignment& assignment);

 private:
  std::vector<IterationSet> regions_;
  uint64_t left_;
};

} // namespace hetmp::schedulers
