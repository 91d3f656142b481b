// The tools interface of OpenMP 5.2 (OMPT) as a tool sees it: its types and numbers, by the specification's chapter 19.
// Only what the host's runtime tells or is asked. The names are the specification's without their prefix.
#pragma once

#include <cstdint>

namespace hetmp::runtime::ompt {

/// What a tool keeps of a thread, region or task: the runtime hands it on and never looks.
union Data {
  uint64_t value;
  void* pointer;
};

/// Where a task called the runtime last, and where the runtime has called the task.
struct Frame {
  Data exit;  ///< of the runtime's function that called the task; null: none did
  Data enter; ///< of the runtime's function that the task has called; null: it executes its own code
  int exit_flags;
  int enter_flags;
};
inline constexpr int frame_of_runtime = 0x00, frame_pointer = 0x20, frame_stack_address = 0x30;

using InterfaceFunction = void (*)();
using Lookup = InterfaceFunction (*)(const char* name);

struct StartToolResult {
  int (*initialise)(Lookup lookup, int initial_device, Data* tool_data); ///< 0: the tool is not interested
  void (*finalise)(Data* tool_data);
  Data tool_data;
};

enum class ThreadKind : int { Initial = 1, Worker = 2, Other = 3 };
enum class Endpoint : int { Begin = 1, End = 2, BeginEnd = 3 };

enum class State : int {
  WorkSerial = 0x000,
  WorkParallel = 0x001,
  WorkReduction = 0x002,
  WaitBarrier = 0x010,
  WaitBarrierImplicitParallel = 0x011,
  WaitBarrierImplicitWorkshare = 0x012,
  WaitBarrierImplicit = 0x013,
  WaitBarrierExplicit = 0x014,
  WaitBarrierImplementation = 0x015,
  WaitBarrierTeams = 0x016,
  WaitTaskwait = 0x020,
  WaitTaskgroup = 0x021,
  WaitMutex = 0x040,
  WaitLock = 0x041,
  WaitCritical = 0x042,
  WaitAtomic = 0x043,
  WaitOrdered = 0x044,
  WaitTarget = 0x080,
  WaitTargetMap = 0x081,
  WaitTargetUpdate = 0x082,
  Idle = 0x100,
  Overhead = 0x101,
  Undefined = 0x102
};

enum class SyncKind : int {
  Barrier = 1,
  BarrierImplicit = 2,
  BarrierExplicit = 3,
  BarrierImplementation = 4,
  Taskwait = 5,
  Taskgroup = 6,
  Reduction = 7,
  BarrierImplicitWorkshare = 8,
  BarrierImplicitParallel = 9,
  BarrierTeams = 10
};

enum class WorkKind : int {
  Loop = 1,
  Sections = 2,
  SingleExecutor = 3,
  SingleOther = 4,
  Workshare = 5,
  Distribute = 6,
  Taskloop = 7,
  Scope = 8,
  LoopStatic = 10,
  LoopDynamic = 11,
  LoopGuided = 12,
  LoopOther = 13
};

enum class DispatchKind : int { Iteration = 1, Section = 2, LoopChunk = 3, TaskloopChunk = 4, DistributeChunk = 5 };
struct DispatchChunk {
  uint64_t start;
  uint64_t iterations;
};

enum class MutexKind : int {
  Lock = 1,
  TestLock = 2,
  NestLock = 3,
  TestNestLock = 4,
  Critical = 5,
  Atomic = 6,
  Ordered = 7
};
/// LLVM's numbers for how a lock is made; this runtime's locks spin, and then sleep.
inline constexpr uint32_t mutex_is_none = 0, mutex_spins = 1, mutex_queues = 2, mutex_speculates = 3;

// Bits of a task's flags.
inline constexpr int task_initial = 0x1, task_implicit = 0x2, task_explicit = 0x4, task_target = 0x8,
                     task_taskwait = 0x10, task_undeferred = 0x8000000, task_untied = 0x10000000,
                     task_final = 0x20000000, task_mergeable = 0x40000000;

enum class TaskStatus : int {
  Complete = 1,
  Yield = 2,
  Cancel = 3,
  Detach = 4,
  EarlyFulfil = 5,
  LateFulfil = 6,
  Switch = 7,
  TaskwaitComplete = 8
};

// Bits of a region's flags: who calls the outlined function, and what it is of.
inline constexpr int invoked_by_program = 0x1, invoked_by_runtime = 0x2, is_league = 0x40000000;
inline constexpr int is_team = int(0x80000000U);

struct Dependence {
  Data variable;
  int kind;
};
inline constexpr int depends_in = 1, depends_out = 2, depends_inout = 3, depends_mutexinoutset = 4, depends_source = 5,
                     depends_sink = 6, depends_inoutset = 7, depends_out_all_memory = 34, depends_inout_all_memory = 35;

// Bits of a cancellation's flags.
inline constexpr int cancels_parallel = 0x1, cancels_sections = 0x2, cancels_loop = 0x4, cancels_taskgroup = 0x8,
                     cancel_activated = 0x10, cancel_detected = 0x20, cancel_discarded_task = 0x40;

enum class Severity : int { Warning = 1, Fatal = 2 };

enum class SetResult : int { Error = 0, Never = 1, Impossible = 2, Sometimes = 3, SometimesPaired = 4, Always = 5 };

/// The callbacks that this runtime makes: number, name, arguments.
#define HETMP_OMPT_CALLBACKS(X)                                                                                        \
  X(1, ThreadBegin, ThreadKind kind, Data* thread)                                                                     \
  X(2, ThreadEnd, Data* thread)                                                                                        \
  X(3, ParallelBegin, Data* task, const Frame* frame, Data* parallel, uint32_t requested, int flags,                   \
    const void* caller)                                                                                                \
  X(4, ParallelEnd, Data* parallel, Data* task, int flags, const void* caller)                                         \
  X(5, TaskCreate, Data* task, const Frame* frame, Data* new_task, int flags, int has_dependences, const void* caller) \
  X(6, TaskSchedule, Data* prior, TaskStatus status, Data* next)                                                       \
  X(7, ImplicitTask, Endpoint endpoint, Data* parallel, Data* task, uint32_t team_size, uint32_t number, int flags)    \
  X(11, ControlTool, uint64_t command, uint64_t modifier, void* argument, const void* caller)                          \
  X(16, SyncRegionWait, SyncKind kind, Endpoint endpoint, Data* parallel, Data* task, const void* caller)              \
  X(17, MutexReleased, MutexKind kind, uint64_t wait_id, const void* caller)                                           \
  X(18, Dependences, Data* task, const Dependence* list, int count)                                                    \
  X(19, TaskDependence, Data* source, Data* sink)                                                                      \
  X(20, Work, WorkKind kind, Endpoint endpoint, Data* parallel, Data* task, uint64_t count, const void* caller)        \
  X(21, Masked, Endpoint endpoint, Data* parallel, Data* task, const void* caller)                                     \
  X(23, SyncRegion, SyncKind kind, Endpoint endpoint, Data* parallel, Data* task, const void* caller)                  \
  X(24, LockInit, MutexKind kind, uint32_t hint, uint32_t implementation, uint64_t wait_id, const void* caller)        \
  X(25, LockDestroy, MutexKind kind, uint64_t wait_id, const void* caller)                                             \
  X(26, MutexAcquire, MutexKind kind, uint32_t hint, uint32_t implementation, uint64_t wait_id, const void* caller)    \
  X(27, MutexAcquired, MutexKind kind, uint64_t wait_id, const void* caller)                                           \
  X(28, NestLock, Endpoint endpoint, uint64_t wait_id, const void* caller)                                             \
  X(29, Flush, Data* thread, const void* caller)                                                                       \
  X(30, Cancel, Data* task, int flags, const void* caller)                                                             \
  X(31, Reduction, SyncKind kind, Endpoint endpoint, Data* parallel, Data* task, const void* caller)                   \
  X(32, Dispatch, Data* parallel, Data* task, DispatchKind kind, Data instance)                                        \
  X(37, Error, Severity severity, const char* message, uint64_t length, const void* caller)

#define HETMP_NUMBER(number, name, ...) name = number,
enum class Event : int { HETMP_OMPT_CALLBACKS(HETMP_NUMBER) };
#undef HETMP_NUMBER
inline constexpr int events_end = 38; ///< numbers are below this; those of devices are among them

/// The type of each callback. Those of control say what to return to the program.
template <Event> struct CallbackOf;
#define HETMP_TYPE(number, name, ...)                                                                                  \
  template <> struct CallbackOf<Event::name> { using Type = void (*)(__VA_ARGS__); };
HETMP_OMPT_CALLBACKS(HETMP_TYPE)
#undef HETMP_TYPE
using ControlToolFunction = int (*)(uint64_t command, uint64_t modifier, void* argument, const void* caller);

} // namespace hetmp::runtime::ompt
