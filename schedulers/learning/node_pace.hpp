// How fast a node has been lately, and how much of a loop it should get at a time.
#pragma once

#include "schedulers/learning/measurement.hpp"

#include <cstdint>

namespace hetmp::schedulers {

/// The pace of a node's threads while they execute, over its latest measurements: older ones count half as
/// much with each newer one.
class NodePace {
 public:
  NodePace() = default;
  explicit NodePace(uint32_t threads) : threads_(threads) {}

  /// Measurements that cannot be true are ignored.
  void learn(const NodeMeasurement& measurement);
  /// What a thread needs for an iteration, from elsewhere; the first measurement replaces it.
  void assume(double us_per_iteration);

  bool known() const { return us_per_iteration() > 0; }
  double us_per_iteration() const; ///< of one thread; 0 = not known
  double rate() const;             ///< iterations in a microsecond, of all threads; 0 = not known

 private:
  uint32_t threads_ = 0;
  double iterations_ = 0;
  double thread_us_ = 0;
  double assumed_us_ = 0;
};

/// What decides the size of the next part of a loop for a node.
struct PartQuestion {
  uint64_t left = 0;      ///< iterations of the loop that have not been handed out
  double share = 1;       ///< the node's, of the pace of all that work
  double rate = 0;        ///< the node's; 0 = not known
  uint32_t threads = 1;   ///< the node's
  double fraction = 0.1;  ///< of its share of what is left that it gets at a time
  double exchange_us = 0; ///< what asking costs
};

/// The iterations of a part, at least 1, at most what the node would do of the rest if all finished together.
///
/// Parts shrink with what is left, geometrically (factoring), so that neither a wrong rate nor an expensive
/// stretch of the loop can keep one node busy for long when the others have finished. They are not smaller
/// than pays: a part lasts at least a hundred exchanges, towards the end half of what is left, and what is
/// done in twenty exchanges is not divided any more.
uint64_t part_size(const PartQuestion& question);

/// Chunks that the node's threads take of a part on demand: about a thirtieth of a thread's share of it, so
/// that expensive iterations spread over the threads, but no shorter than half an exchange, since the part's
/// end is no more even than that anyway; and not so large that a thread would find none.
uint64_t chunk_size(uint64_t part, const NodePace& pace, uint32_t threads, double exchange_us);

} // namespace hetmp::schedulers
