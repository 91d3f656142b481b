// A region's task of one thread: its place in the team, its ICVs, what it has met so far. Constructs need no more of
// the thread that executes it; how they find it is current_thread.hpp's.
#pragma once

#include "dsm/guest_tasks.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/task_graph/task.hpp"
#include "runtime/team/loop_progress.hpp"
#include "runtime/wait/wait.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct NodeTeam;

enum class ReductionMethod : uint8_t {
  None,
  Serial,
  Critical,
  Atomic,
  Combine,       ///< copies with copies, first within each node
  CombineInOrder ///< of thread numbers, however threads are divided among nodes
};

/// A region's task of one thread, which writes to it all the time: those of a team lie side by side.
struct alignas(cache_line) ImplicitTask {
  NodeTeam* team = nullptr;             ///< never null once the thread is known
  const ImplicitTask* parent = nullptr; ///< the task that met the region's construct; null when it is on another node
  uint32_t number = 0;                  ///< thread number in the whole team
  uint32_t local_number = 0;            ///< thread number within the node's part of the team
  uint32_t team_size = 1;               ///< of the whole team
  uint32_t level = 0;                   ///< enclosing parallel regions
  uint32_t active_level = 0;            ///< those of them with more than one thread
  TaskIcvs icvs;                        ///< data-environment ICVs; omp_set_* change these

  // Counted alike by every thread of the team, in program order.
  uint64_t constructs = 0; ///< names a construct among the nodes
  uint64_t loops = 0;      ///< position in the ring of loop buffers
  uint32_t singles = 0;
  uint64_t first_trips = 0; ///< of the region's first loop that the runtime has seen; 0: none yet
  /// In the region: what several nodes would ask each other for. Critical sections and locks entered, where nodes are
  /// processes; ordered chunks, and iterations of doacross loops that were to be waited for.
  uint32_t exchanges = 0;
  /// Null unless its thread is on a journey, and may be executed elsewhere for a while (regions/travelling.hpp): what
  /// to call when that has waited.
  void (*has_waited)() = nullptr;
  bool journey_is_drawn = false;         ///< for tests: so is what leaves
  dsm::TaskSigns* signs = nullptr;       ///< then: see changeable_icvs()
  TaskIcvs icvs_before;                  ///< where these say that there are settings: what the task had, before
  int64_t (*time_elsewhere)() = nullptr; ///< then: how long it has been so far, ns
  uint32_t worksharing = 1; ///< loops, sections and, where regions can be cancelled, barriers: see cancellation.hpp

  // Cancellation
  bool in_static_loop = false;       ///< or sections, which the compiler divides itself
  bool left_worksharing = false;     ///< since the last barrier, because it was cancelled
  bool has_met_at_reduction = false; ///< the others: the barrier to come is over (reduction_barrier())

  LoopProgress loop;
  ReductionMethod reduction = ReductionMethod::None;
  bool sections_begun = false;
  DoacrossNest doacross;

  // The static loop in hand, if it is placed and measured.
  uint64_t static_visit = 0;      ///< its global name; 0 = none
  uint64_t static_iterations = 0; ///< of this thread
  ThreadSnapshot static_started;

  TracedIterations traced;

  // Explicit tasks.
  uint32_t nested = 0;                        ///< executed at once where they are generated, inside of each other
  GeneratingTask generator;                   ///< this task, as their parent
  ExplicitTask* explicit_task = nullptr;      ///< the one the thread executes, innermost; null: this one
  const GeneratingTask* constraint = nullptr; ///< see may_run() in tasking/team_tasks.hpp; null: none
  bool part_follows = false;                  ///< of explicit_task, untied: to be executed as soon as this part is over
  uint64_t team_reductions = 0;               ///< counted alike by every thread of the team
  void* construct_memory[2] = {}; ///< thread 0 of the team: the last two blocks of construct_memory() (single.hpp)
};

/// The task that its thread executes now.
inline GeneratingTask& generating_task(ImplicitTask& task) {
  GeneratingTask* const explicit_task = task.explicit_task;
  return explicit_task ? *explicit_task : task.generator;
}

/// Thread number and team size of the calling thread's ancestor at `level` (0 = initial task); false when there is no
/// such level.
bool find_ancestor(const ImplicitTask& task, uint32_t level, uint32_t& number, uint32_t& team_size);

/// What the region's first loop has to do tells one visit of the region from another (placement of regions).
inline void note_first_loop(ImplicitTask& task, uint64_t trips) {
  if (task.first_trips == 0)
    task.first_trips = trips;
}

/// Of the task that its thread executes, which sets some of them for itself. On a journey it may be executed as a part
/// of another one (tasking/task_journey.hpp), whose they are as well: they end with it.
inline TaskIcvs& changeable_icvs(ImplicitTask& task) {
  if (task.signs && task.explicit_task && task.signs->has_settings == 0) {
    task.icvs_before = task.icvs;
    task.signs->has_settings = 1;
  }
  return task.icvs;
}

} // namespace hetmp::runtime
