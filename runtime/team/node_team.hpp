// The part of a team that runs on one node. A team on one node is a single NodeTeam without a global level.
//
// NodeTeams are never freed: a primary thread keeps the ones it has used and sets them up again. Whatever outlives a
// region (ring positions, barrier epochs) therefore carries on counting instead of being reset.
#pragma once

#include "runtime/affinity/seats.hpp"
#include "runtime/global/global_level.hpp"
#include "runtime/global/team_description.hpp"
#include "runtime/task_graph/team_tasks.hpp"
#include "runtime/team/cancellations.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/late_members.hpp"
#include "runtime/team/loop_buffer.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/primary_lead.hpp"
#include "runtime/wait/region_end.hpp"
#include "runtime/wait/team_release.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace hetmp::runtime {

namespace ompt {
struct RegionRecord;
}
struct Thread;

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
  PrimaryLead primary_lead;                             ///< where threads share CPUs
  RegionEnd region_end;                                 ///< workers still in the region
  Thread* const* crew = nullptr;                        ///< those workers, by local number - 1
  TeamTasks tasks;
  LateMembers late; ///< members that have not begun
  Cancellations cancelled;
  alignas(cache_line) std::atomic<uint32_t> singles{0}; ///< `single` constructs that are taken; relaxed: orders nothing
  LoopBuffer loops[loop_ring];

  ompt::RegionRecord* observed = nullptr; ///< for a tool (OMPT); null: there is none
  affinity::SeatPlan seat_plan;           ///< what the seats were made for
  std::vector<affinity::Seat> seats;      ///< by local thread number; empty: threads stay where they are
  bool travels = false;                   ///< members may go on elsewhere for a while (regions/travelling.hpp)
  bool displayed = false;                 ///< its threads say where they are (OMP_DISPLAY_AFFINITY)

  /// A loop was divided among the threads without asking anybody. relaxed: read when the threads have joined.
  std::atomic<bool> unplaced{false};
  // Where static loops are placed: guarded by the lock.
  FutexLock static_lock;
  std::vector<StaticVisit> static_visits; ///< of this region, each with another number of iterations
  EventCount static_answers;

  uint32_t local_threads() const { return description.local_threads; }
  bool alone() const { return description.threads == 1; }
};

} // namespace hetmp::runtime
