// One node's side of a loop under a policy: which of its threads runs what, and when the node asks for more. Pure: the
// runtime calls it under the node's lock, the simulator and the tests without any.
#pragma once

#include "schedulers/policy.hpp"

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

/// Protocol of a thread: call next(). On Run, execute the chunk, account() for it if measuring() said so, and call next()
/// again. On Ask, take collect() to the policy, give its answer to assign(), wake the waiting threads, call next() again.
/// On Wait, wait until another thread has called assign(), then call next() again. On Report, bring collect() to the
/// policy's report(), then leave the loop. On Leave, leave.
class NodeWork {
 public:
  enum class Step : uint8_t { Run, Ask, Wait, Report, Leave };

  /// A new visit, by `threads` threads of this node. Memory is kept from visit to visit.
  void begin(uint32_t threads);

  /// What thread `thread` (0 .. threads-1) does next; it has finished what it was given before. `chunk` is filled on Run.
  ///
  /// With equal shares the last thread to finish asks for more (a probe is complete only then); with chunks on demand the
  /// first one that finds none does. At most one thread has been told to ask and has not yet called assign().
  Step next(uint32_t thread, Range& chunk);

  /// Whether the chunk just given to a thread is to be timed.
  bool measuring() const { return assignment_.measured; }

  /// `thread` has executed the chunk it was given last, as measured.
  void account(uint32_t thread, const ChunkMeasurement& chunk);

  /// Everything accounted for since the last call; the node's faults and span are the caller's to fill in.
  NodeMeasurement collect();

  /// The policy's answer.
  void assign(const Assignment& assignment);

  const Assignment& assignment() const { return assignment_; }

 private:
  struct Member { ///< a thread's place in the assignment, counted through its pieces
    uint64_t next = 0;
    uint64_t end = 0;
    uint64_t running = 0;        ///< iterations of the chunk in hand
    uint32_t assignments = 0;    ///< the latest one it has had its share of
  };

  Range cut(uint64_t begin, uint64_t end, uint64_t& taken) const;

  Assignment assignment_;
  uint64_t size_ = 0;       ///< of the assignment
  uint64_t handed_out_ = 0; ///< on demand: so many of it
  uint32_t assignments_ = 0;///< answers received
  uint32_t finished_ = 0;   ///< equal shares: threads that have done theirs
  bool asking_ = false;
  bool reported_ = false;
  std::vector<Member> members_;
  uint32_t threads_ = 0;
  NodeMeasurement sum_;
};

} // namespace hetmp::schedulers
