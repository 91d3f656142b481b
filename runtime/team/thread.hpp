// Threads and the implicit tasks they execute.
//
// A Thread is an OS thread known to the runtime: an initial thread ("root": main, or any thread of the program that
// meets OpenMP on its own) or a worker of the pool. A thread executes one implicit task at a time, found at `task`;
// entering a region puts a new one there, leaving it puts the old one back. All of this lies in the library's private
// memory.
#pragma once

#include "perf/counters.hpp"
#include "runtime/affinity/seats.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/team/current_thread.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/threadprivate.hpp"
#include "runtime/wait/listed_sizes.hpp"
#include "runtime/wait/lock_form.hpp"
#include "runtime/wait/wait.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {

struct NodeTeam;
struct TeamDescription;
struct Thread;

/// A num_threads clause that wants to be told when its team is smaller.
struct StrictSize {
  uint32_t threads = 0; ///< 0: no such clause
  bool fatal = true;
  const char* message = nullptr; ///< the program's, may be null
};

struct Thread {
  int gtid = -1; ///< small, unique in this process; reused after the thread's end
  bool root = false;
  bool executes_main = false;   ///< the program's main(); of roots at most one
  bool resident = false;        ///< leads its node's part of spread teams (nodes inside one process); keeps its crew
  uint32_t node = 0;            ///< whose CPUs it runs on (nodes inside one process; else this process's node)
  int place = -1;               ///< that it is bound to; -1 = none
  bool bound = false;           ///< has been moved to its node's CPUs, if nodes are sets of CPUs
  ImplicitTask* task = nullptr; ///< what it executes now
  /// It executes the part of a member that has not begun (late_members.hpp), and keeps no tasks: the member may wait
  /// until somebody else has executed them, and there is nobody else.
  bool stands_in = false;

  // Clauses waiting for the next parallel construct.
  uint32_t pushed_threads = 0;
  ListedSizes pushed_list;     ///< of regions inside that one; its first_level means nothing yet
  bool long_list_told = false; ///< the user knows that one had more numbers than count
  StrictSize pushed_strict;
  int pushed_proc_bind = -1;
  uint32_t pushed_teams = 0;        ///< for the next `teams` construct; 0: no clause
  uint32_t pushed_team_threads = 0; ///< its thread limit

  /// What remains to be done before an initial thread's end; null: nothing. Set by whoever leaves something to do.
  void (*before_end)(Thread& self) = nullptr;

  perf::ThreadCounters counters; ///< run from its first measured chunk on

  // As the primary of teams. Owner: this thread.
  std::vector<Thread*> crew;                         ///< workers kept from one region to the next
  bool crew_at_work = false;                         ///< a team of this thread is using them
  uint64_t regions_begun = 0;                        ///< with workers
  OwnLockCount locks_held;                           ///< stays when the thread ends: others may release its locks
  affinity::DisplayedTeam displayed;                 ///< the last one (OMP_DISPLAY_AFFINITY)
  NodeTeam* unused_teams = nullptr;                  ///< teams this thread may set up without asking anybody
  std::vector<struct RegionResources*> open_regions; ///< that it executes its part of by itself; see fork.hpp

  // As a worker. Written by the team's primary before `go` is posted.
  void (*job)(Thread& worker) = nullptr; ///< what it does next, with what follows
  NodeTeam* next_team = nullptr;         ///< to be a member of it
  uint32_t next_local_number = 0;
  TeamDescription* next_part = nullptr; ///< to lead this part of a team
  EventCount go;
  Thread* next_idle = nullptr; ///< link of the pool's list, or of the records to be reused; guarded by those

  bool called_back =
      false; ///< to a region that it has left, because there are tasks now; written before `go` is posted
  /// The region (RegionEnd::region()) that it leaves or has left; whoever resets it to 0 sees to it that the thread
  /// does not stay away. See regions/leaving.cpp.
  std::atomic<uint64_t> leaving{0};

  TaskBlocks task_blocks; ///< owner: this thread

  std::unordered_map<const void*, ThreadprivateCopy> threadprivate; ///< by original
  ImplicitTask initial;                                             ///< roots only
  Thread* made_before = nullptr;                                    ///< link of the list of all records
};

/// Used by the worker pool: makes the calling thread `self`, and gives a new Thread a number.
void adopt_thread(Thread* self);
Thread* create_thread_record(); ///< null when there are too many
Thread* create_helper_record(); ///< for a hidden helper thread, which has a number from 1 on that no other thread gets;
                                ///< null: none is left
/// What the thread, which is of no team, executes from now on.
void begin_initial_task(Thread& thread);
void retire_thread_record(Thread* thread);
/// In a forked child: only the calling thread is left.
void forget_other_threads();

/// The sum of what all threads count that the runtime knows or has known.
uint32_t locks_held_by_threads();

} // namespace hetmp::runtime
