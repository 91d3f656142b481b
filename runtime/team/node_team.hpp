// The part of a team that runs on one node. A team on one node is a single NodeTeam without a global level.
//
// NodeTeams are never freed: a primary thread keeps the ones it has used and sets them up again. Whatever outlives a
// region (ring positions, barrier epochs) therefore carries on counting instead of being reset.
#pragma once

#include "runtime/global/global_level.hpp"
#include "runtime/global/loop_identity.hpp"
#include "runtime/global/team_description.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/team/cancellations.hpp"
#include "runtime/team/measure.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/bell.hpp"
#include "runtime/wait/chunk_share.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/region_end.hpp"
#include "runtime/wait/team_release.hpp"
#include "schedulers/policies/node_work.hpp"

#include <atomic>
#include <memory>
#include <vector>

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

struct NodeTeam {
  static constexpr uint32_t loop_ring = 8;

  /// `arguments` holds them only up to most_forwarded_arguments. All of it has values from the beginning: what a region
  /// writes is compared with what is there (write_changed).
  TeamDescription description{};
  GlobalLevel* global = nullptr;
  void* const* arguments = nullptr;
  std::vector<void*> many_arguments; ///< backs `arguments` when there are more
  std::unique_ptr<ImplicitTask[]> members;
  uint32_t member_capacity = 0;
  ContentionGroup* contention = nullptr; ///< that its threads belong to; null: nobody counts, or outside of all regions
  ContentionGroup own_contention;        ///< where it begins with this region
  ImplicitTask* enclosing = nullptr;     ///< what the primary executes when the region is over
  uint64_t first_loop = 0;               ///< loops met in earlier regions
  uint32_t first_single = 0;             ///< likewise
  /// Without a global level: local threads that get shares of loops. Fewer than there are where other nodes have been
  /// withdrawn: the node has no CPUs for their threads, and threads that take turns on one push each other's data out
  /// of its caches.
  uint32_t working_threads = 1;
  std::vector<void*> reduction_data;    ///< of each local thread, for a combining reduction
  const void* reduction_site = nullptr; ///< of the last one; the first thread's
  NodeTeam* next_unused = nullptr;

  alignas(cache_line) std::atomic<uint32_t> arrived{0}; ///< at the barrier
  std::atomic<uint64_t> words{0};                       ///< OR of what those threads bring
  uint64_t barrier_word = 0;                            ///< the last barrier's result
  uint64_t barriers = 0;                                ///< of this region so far; by the last thread to come to each
  uint32_t meetings = 0;                                ///< likewise; with those that no other node has to come to
  uint64_t loops_before = 0;                            ///< the primary's, when the region began
  TeamRelease released;                                 ///< barriers completed
  RegionEnd region_end;                                 ///< workers still in the region
  Thread* const* crew = nullptr;                        ///< those workers, by local number - 1
  TeamTasks tasks;
  Bell iterations_posted; ///< of doacross loops
  Cancellations cancelled;
  alignas(cache_line) std::atomic<uint32_t> singles{0}; ///< `single` constructs that are taken; relaxed: orders nothing
  LoopBuffer loops[loop_ring];

  affinity::SeatPlan seat_plan;      ///< what the seats were made for
  std::vector<affinity::Seat> seats; ///< by local thread number; empty: threads stay where they are
  bool displayed = false;            ///< its threads say where they are (OMP_DISPLAY_AFFINITY)

  /// A loop was divided among the threads without asking anybody. relaxed: read when the threads have joined.
  std::atomic<bool> unplaced{false};
  // Where static loops are placed: guarded by the lock.
  FutexLock static_lock;
  std::vector<StaticVisit> static_visits; ///< of this region, each with another number of iterations
  EventCount static_answers;

  uint32_t local_threads() const { return description.local_threads; }
  bool alone() const { return description.threads == 1; }
};

/// A thread alone on its node, in a team of that node only.
inline bool has_nobody_to_leave_tasks_to(const NodeTeam& team) { return team.local_threads() == 1 && !team.global; }

} // namespace hetmp::runtime
