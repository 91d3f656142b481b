// Reductions that tasks take part in: `taskgroup task_reduction`, `taskloop reduction`, and `reduction(task, ...)` of a
// parallel region or a loop. Each thread gets a copy of a variable when one of its tasks first asks for it; the end of
// the taskgroup folds the copies into the variable.
#pragma once

#include "runtime/task_graph/task.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

struct ReductionItem {
  void* variable = nullptr; ///< that the copies are folded into
  void* original = nullptr; ///< for the initialiser; null: it takes the copy only
  size_t bytes = 0;
  void* initialise = nullptr; ///< void(copy, original) or void(copy); null: zeroes
  void (*combine)(void* into, void* from) = nullptr;
  void (*finalise)(void* copy) = nullptr; ///< may be null
};

/// The threads' copies of the variables of one construct. Shared by the taskgroups of a team's threads where the
/// construct is the team's.
struct ReductionCopies {
  uint32_t threads = 0;
  size_t items = 0;
  std::unique_ptr<std::atomic<void*>[]>
      copies; ///< [item * threads + thread], null until asked for; made by the thread itself
  bool is_team = false;
  uint64_t sequence = 0; ///< of the team's constructs
  uint32_t users = 1;    ///< threads that have not ended the construct
};

struct TaskReductions {
  std::vector<ReductionItem> items;
  ReductionCopies* copies = nullptr;
};

/// For the present taskgroup.
void begin_reductions(ImplicitTask& implicit, std::vector<ReductionItem> items);

/// Begins a taskgroup whose copies are the team's: each of its threads calls it, and ends the taskgroup.
void begin_team_reductions(Thread& self, std::vector<ReductionItem> items);

/// The calling thread's copy of a variable, or of what is itself a copy of it, from the innermost taskgroup that
/// reduces it, beginning with `group` (null: the present one). The variable itself where nothing reduces it, or one
/// thread executes all.
void* reduction_copy(ImplicitTask& implicit, TaskGroup* group, void* variable);

/// The same for a thread that is elsewhere, by another one, which executes nothing of the program's; null: the copy has
/// yet to be made.
void* reduction_copy_by_other(ImplicitTask& implicit, TaskGroup* group, void* variable);

/// Of a region that was cancelled, when all threads have left it: constructs that some threads have not come to.
void forget_team_reductions(NodeTeam& team);

/// At the end of the taskgroup, when its tasks are complete.
void finish_reductions(ImplicitTask& implicit, TaskGroup& group);

} // namespace hetmp::runtime
