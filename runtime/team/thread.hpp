// Threads and the implicit tasks they execute.
//
// A Thread is an OS thread known to the runtime: an initial thread ("root": main, or any thread of the program that
// meets OpenMP on its own) or a worker of the pool. A thread executes one implicit task at a time, found at `task`;
// entering a region puts a new one there, leaving it puts the old one back. All of this lies in the library's private
// memory.
#pragma once

#include "perf/counters.hpp"
#include "runtime/settings/icv.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/team/measure.hpp"
#include "runtime/wait/listed_sizes.hpp"
#include "runtime/wait/wait.hpp"
#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {

struct NodeTeam;
struct TeamDescription;
struct Thread;

/// What is taken down of a chunk when it has been executed.
enum class Measured : uint8_t {
  Nothing,
  Time,       ///< nobody has been asked on this visit
  Everything, ///< clocks, counters, faults: for the loop's policy
};

/// What a thread knows of the dynamically scheduled loop it is in. Owner: the thread of the task.
struct LoopProgress {
  schedulers::Schedule schedule;
  uint64_t trips = 0;
  uint64_t number = 0;                        ///< in the ring of loop buffers
  uint64_t global_name = 0;                   ///< of the loop among the nodes of the team
  uint64_t round = 0;                         ///< Static: chunks taken so far
  bool equal_shares = false;                  ///< Static: LoopRequest's
  std::optional<schedulers::Range> node_part; ///< Static: of this node, if such loops are placed
  uint64_t chunks = 0;                        ///< Dynamic: that the loop has
  bool dealt = false;                         ///< Dynamic: chunks are dealt in advance (chunk_share.hpp)
  uint32_t victim = 0;                        ///< then: the local thread that the last ones were stolen from
  // lastprivate variables have what they had in the last chunk of the thread that gets the loop's last iteration.
  bool has_last = false; ///< which is kept for the end, where chunks do not come in order
  bool had_last = false; ///< it has been given
  bool open = false;     ///< between the loop's begin and its exhaustion
  bool ordered = false;
  // `ordered`: the chunk in hand
  schedulers::Range chunk;
  uint64_t index = 0;           ///< the iteration being executed
  uint64_t predecessor_end = 0; ///< end of the chunk this node handed out before; it must have been posted first
  bool waited = false;          ///< this chunk's turn has come
  bool region_done = false;     ///< the ordered region of iteration `index` is over
  // the loop in the types of the program: first value and stride, as two's complement bits
  uint64_t lower_bits = 0;
  uint64_t end_bits = 0; ///< by GOMP entries: the first value that is not the loop's any more
  int64_t stride = 1;
  // placed on several nodes
  Measured measured = Measured::Nothing; ///< of the chunk in hand
  ThreadSnapshot started;                ///< then: when the chunk was given
  uint64_t timed_iterations = 0;         ///< of a chunk whose time is taken
  const char* source = nullptr;
  const void* call_site = nullptr; ///< where the program began the loop
};

/// For a timeline (perf/report/trace.hpp): the iterations in hand. Owner: the thread of the task.
struct TracedIterations {
  int64_t since_ns = 0; ///< 0: none, or nobody wants to know
  schedulers::Range range;
  const void* call_site = nullptr;
  const char* source = nullptr;
};

/// What the variable of a loop goes through, `upper` included.
struct DoacrossDimension {
  int64_t lower, upper, stride;
};

/// A loop nest whose iterations wait for each other; see doacross.hpp. Owner: the thread of the task.
struct DoacrossNest {
  std::vector<DoacrossDimension> dimensions;
  std::atomic<uint32_t>* posted = nullptr; ///< the team's; null: there is nothing to wait for
};

enum class ReductionMethod : uint8_t { None, Serial, Critical, Atomic, Combine };

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
  uint32_t exclusions = 0;  ///< critical sections and locks entered in the region, where nodes are processes
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
  GeneratingTask generator;                   ///< this task, as their parent
  ExplicitTask* explicit_task = nullptr;      ///< the one the thread executes, innermost; null: this one
  const GeneratingTask* constraint = nullptr; ///< see may_run() in tasking/team_tasks.hpp; null: none
  bool part_follows = false;                  ///< of explicit_task, untied: to be executed as soon as this part is over
  uint64_t team_reductions = 0;               ///< counted alike by every thread of the team
  void* construct_memory[2] = {}; ///< thread 0 of the team: the last two blocks of construct_memory() (single.hpp)
};

/// A num_threads clause that wants to be told when its team is smaller.
struct StrictSize {
  uint32_t threads = 0; ///< 0: no such clause
  bool fatal = true;
  const char* message = nullptr; ///< the program's, may be null
};

struct Thread {
  int gtid = -1; ///< small, unique in this process; reused after the thread's end
  bool root = false;
  bool resident = false;        ///< leads its node's part of spread teams (nodes inside one process); keeps its crew
  uint32_t node = 0;            ///< whose CPUs it runs on (nodes inside one process; else this process's node)
  int place = -1;               ///< that it is bound to; -1 = none
  bool bound = false;           ///< has been moved to its node's CPUs, if nodes are sets of CPUs
  ImplicitTask* task = nullptr; ///< what it executes now

  // Clauses waiting for the next parallel construct.
  uint32_t pushed_threads = 0;
  ListedSizes pushed_list; ///< of regions inside that one; its first_level means nothing yet
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

  std::unordered_map<const void*, void*> threadprivate; ///< copies of threadprivate variables, by original
  ImplicitTask initial;                                 ///< roots only
};

/// The calling thread; one that the runtime has not seen yet becomes an initial thread.
Thread& current_thread();
/// The calling thread if the runtime knows it, else null.
Thread* known_thread();
/// The calling thread, given the number the compiler hands around.
Thread& thread_of(int gtid);

inline ImplicitTask& current_task() { return *current_thread().task; }

/// Thread number and team size of the calling thread's ancestor at `level` (0 = initial task); false when there is no
/// such level.
bool find_ancestor(const ImplicitTask& task, uint32_t level, uint32_t& number, uint32_t& team_size);

/// Threads of the process the runtime knows, workers included.
uint32_t known_threads();

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

} // namespace hetmp::runtime
