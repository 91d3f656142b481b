// What a task is: the part that every task has as the parent of those it generates, and explicit tasks.
//
// All records lie in the library's private memory and are used by one process only, wherever the task is executed.
#pragma once

#include "runtime/settings/icv.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

namespace ompt {
struct TaskRecord;
}
class DependenceTable;
struct DependenceNode;
struct ExplicitTask;
struct NodeTeam;
struct TaskGroup;

/// A task as the one that generates others: each implicit task and each explicit one.
///
/// Its record stays until it is complete and the records of all its children are gone, so that from any task the way up
/// to its implicit task can be walked.
struct GeneratingTask {
  static constexpr uint64_t one_child = 1; ///< that is not complete
  static constexpr uint64_t one_record = uint64_t(1) << 32;

  GeneratingTask* parent = nullptr; ///< null: an implicit task
  uint32_t depth = 0;               ///< explicit tasks on the way up, itself included
  uint32_t lock_owner = 0; ///< its number as the owner of nestable locks; 0: it has set none. See lock_owner_number()
  bool is_final = false;
  /// Low half: children that are not complete. High half: records of children, and one for the task itself until it is
  /// complete. Whoever takes the last record away frees the task.
  std::atomic<uint64_t> children{one_record};
  TaskGroup* group = nullptr;             ///< the innermost one, which its children will belong to
  DependenceTable* dependences = nullptr; ///< between its children; the task's thread alone uses it

  /// seq_cst: what a thread waits for (core/wait.hpp, Bell); also acquires all that the children did.
  bool has_unfinished_children() const { return uint32_t(children.load(std::memory_order_seq_cst)) != 0; }
};

/// Room for a value that is not there from the beginning: records of tasks that last for nanoseconds are made all the
/// time.
template <class Value> union SetLater {
  SetLater() {}
  Value value;
};

/// A thread's number in this process, and the argument given with the function.
using TaskFunction = void (*)(int gtid, void* argument);

/// A task made by a `task`, `taskloop` or `target` construct.
struct ExplicitTask : GeneratingTask {
  // Given to each when it is made.
  TaskFunction function = nullptr;
  TaskFunction finalise =
      nullptr;          ///< called once when the task is complete, if not null: destroys its copies of variables
  void* body = nullptr; ///< memory for the program's part of the task; the argument of both functions
  size_t body_bytes = 0;
  NodeTeam* team = nullptr;       ///< whose threads execute it
  TaskGroup* member_of = nullptr; ///< that it was generated into

  // Zeros to begin with lie side by side: compilers write them in few words.
  DependenceNode* dependence = nullptr;
  void* async_handle = nullptr;         ///< for the program's use; see __kmpc_omp_get_target_async_handle_ptr
  ompt::TaskRecord* observed = nullptr; ///< for a tool (OMPT); null: there is none
  ExplicitTask* next = nullptr;         ///< link of lists
  uint64_t away_word = 0; ///< of one that is back from another node: 0: not executed, else nanoseconds + 1
  uint32_t priority = 0;
  bool has_kmp_priority = false; ///< the body has a priority, once it is filled in (abi/kmp_task.cpp)
  bool called_untied = false;    ///< by the program, for a tool; gcc's are tied here
  /// A target task; while it is submitted: whether hidden helper threads execute it (helpers.hpp).
  bool for_helpers = false;
  bool deferred = false; ///< counted by the team: its barrier waits for it
  bool movable = false;  ///< nothing in its body is for its own node only
  bool attached = false; ///< counted by its parent and its taskgroup; see attach() in execution.cpp
  /// The thread that generates it executes all of it meanwhile: those who wait for its parent do not yet wait for it.
  bool executed_at_once = false;
  bool begun = false; ///< then it is not discarded when its taskgroup is cancelled
  bool has_event = false;
  bool tied = true;
  /// Executions that are still to end, and one for an event that has not been fulfilled. An untied task may be
  /// submitted again while it runs, for its next part. Whoever counts to 0 completes the task.
  std::atomic<uint32_t> pending{1};

  SetLater<TaskIcvs> icvs; ///< of a deferred task, to begin with; while it runs, the thread has them

  /// What its thread goes back to.
  struct Interrupted {
    ExplicitTask* task;
    const GeneratingTask* constraint;
    TaskIcvs icvs;
    bool part_follows;
    ompt::TaskRecord* observed; ///< for a tool (OMPT), where the generating task itself executes the code
  };
  SetLater<Interrupted> interrupted; ///< while its code is executed by the generating task itself (`if(false)`)
};

/// A taskgroup region: its end waits for all tasks generated in it and their descendants.
struct TaskGroup {
  TaskGroup* outer = nullptr;
  /// Tasks that are not complete. seq_cst: what a thread waits for; the wait acquires all that they did.
  std::atomic<uint32_t> unfinished{0};
  std::atomic<bool> cancelled{false}; ///< relaxed: tasks that see it too late run, which is allowed
  bool of_reduction = false; ///< a loop's, sections' or region's with reduction(task, ..): the program has written none
  bool reduces = false;      ///< it has reductions, whether or not they need copies
  struct TaskReductions* reductions = nullptr;
  uintptr_t* reduction_tables =
      nullptr; ///< of gcc's programs (mapped_reductions.hpp); those of outer taskgroups, if it has none
};

} // namespace hetmp::runtime
