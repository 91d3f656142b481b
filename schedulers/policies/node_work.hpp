// One node's side of a loop under a policy: which of its threads runs what, and when the node asks for more.
// Pure: the runtime calls it under the node's lock, the simulator and the tests without any.
#pragma once

#include "schedulers/learning/measurement.hpp"
#include "schedulers/policies/assignment.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::schedulers {

/// What a thread measured over a chunk it has executed.
struct ChunkMeasurement {
  double elapsed_us = 0;
  double busy_us = -1; ///< negative = not known
  uint64_t instructions = 0;
  uint64_t cache_misses = 0;
};

/// Protocol of a thread: call next(). On Run, execute the chunk, account() for it if measuring() said so, and
/// call next() again. On Ask, take collect() to the policy, give its answer to assign(), wake the waiting
/// threads, call next() again. On Wait, wait until another thread has called assign(), then call next()
/// again. On Report, bring collect() to the policy's report(), then leave the loop. On Leave, leave.
class NodeWork {
 public:
  enum class Step : uint8_t { Run, Ask, Wait, Report, Leave };

  /// A new visit, by `threads` threads of this node. Memory is kept from visit to visit.
  void begin(uint32_t threads);

  /// What thread `thread` (0 .. threads-1) does next; it has finished what it was given before. `chunk` is
  /// filled on Run.
  ///
  /// With equal shares the last thread to finish asks for more (a probe is complete only then); with chunks
  /// on demand the first one that finds none does. At most one thread has been told to ask and has not yet
  /// called assign().
  Step next(uint32_t thread, Range& chunk);

  /// `thread` leaves the loop before its end: the node hands out nothing more of the assignment on demand, nor of the
  /// thread's equal share. It still calls next() until it is told to leave.
  void drop(uint32_t thread);

  /// Whether the chunk just given to a thread is to be timed.
  bool measuring() const { return assignment_.measured; }

  /// `thread` has executed the chunk it was given last, as measured.
  void account(uint32_t thread, const ChunkMeasurement& chunk);

  /// Everything accounted for since the last call; the node's faults and span are the caller's to fill in.
  NodeMeasurement collect();

  /// The policy's answer. Or, before anybody asked on this visit, an assignment that is known to be the same
  /// again (Assignment::repeats).
  void assign(const Assignment& assignment);

  const Assignment& assignment() const { return assignment_; }

 private:
  struct Member {
    uint64_t next = 0; ///< equal shares: what is left of its share, counted through the assignment's pieces
    uint64_t end = 0;
    uint64_t running = 0;  ///< iterations of the chunk in hand, until they are accounted for
    uint64_t started = 0;  ///< the latest assignment it has got its equal share of
    uint64_t finished = 0; ///< the latest assignment it found nothing left of
  };

  Step ask_once();
  Range from_share(uint32_t thread);
  Range on_demand();
  /// At most `most` iterations from `position` on, counted through the pieces; never over the end of a piece.
  Range cut(uint64_t position, uint64_t most) const;

  Assignment assignment_;
  uint64_t size_ = 0;        ///< of the assignment
  uint64_t handed_out_ = 0;  ///< on demand: so many of it
  uint64_t assignments_ = 0; ///< answers received: the number of the one in force
  uint32_t finished_ = 0;    ///< threads that have found nothing left of it
  uint32_t threads_ = 0;
  bool asking_ = false; ///< a thread has been told to ask, and the answer is not here
  std::vector<Member> members_;
  NodeMeasurement sum_;
};

} // namespace hetmp::schedulers
