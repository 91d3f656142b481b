// What the threads of a node share of the loops that they are in.
#pragma once

#include "runtime/global/loop_identity.hpp"
#include "runtime/team/measure.hpp"
#include "runtime/wait/bell.hpp"
#include "runtime/wait/chunk_share.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/wait.hpp"
#include "schedulers/policies/node_work.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace hetmp::runtime {

/// The visit of a static loop by which all others of the region are divided that have as many iterations; see
/// static_loop.cpp.
struct StaticVisit {
  uint64_t trips = 0;
  bool unplaced = false; ///< by unplaced_share(); the rest means nothing then
  uint64_t global_name = 0;
  LoopIdentity identity{};
  schedulers::Assignment assignment;
  bool answered = false;
  uint32_t threads_done = 0; ///< measured: threads that have finished their share
  schedulers::NodeMeasurement sum;
  NodeSnapshot before;
};

/// One loop that iterations are handed out of. Loop number n of a region uses buffer n % ring size, once all threads
/// of the node have left loop n - ring size.
struct LoopBuffer {
  /// One node: Dynamic counts chunks handed out, Guided counts iterations handed out.
  alignas(cache_line) std::atomic<uint64_t> next{0};
  alignas(cache_line) std::atomic<uint32_t> finished{0}; ///< threads that have left the loop
  EventCount uses;                                       ///< completed uses of this buffer: whose turn it is
  std::unique_ptr<ChunkShare[]>
      shares; ///< one node, Dynamic but not monotonic: instead of `next`; by local thread number

  // Several nodes: guarded by `lock`.
  FutexLock lock;
  schedulers::NodeWork work;
  bool begun = false;                      ///< `work` is set up for this visit
  bool asked = false;                      ///< somebody, for the first time on this visit
  bool known = false;                      ///< by an earlier answer: nobody is asked on this visit
  schedulers::NodeMeasurement known_times; ///< then: of the chunks executed so far
  uint64_t handed_out_end = 0;             ///< end of the last chunk handed out on this node
  NodeSnapshot before;                     ///< when the node got its assignment
  EventCount answers;                      ///< posted when an assignment is there

  // `ordered`: iterations before this one are done, as far as this node handed them out. seq_cst: what threads wait
  // for.
  alignas(cache_line) std::atomic<uint64_t> ordered_done{0};
  Bell ordered_progress;
};

} // namespace hetmp::runtime
