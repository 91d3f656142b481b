// What a tool (OMPT) is told: the code of constructs says here what happens, where there is a tool. Where there is none
// each call is one branch that is predicted, by a variable of the thread's own.
//
// The words are the specification's (chapter 19), the order of events and the kinds of what it leaves open are
// libomp's: tools are written against that one.
#pragma once

#include "runtime/ompt/own_thread.hpp"
#include "runtime/ompt/records.hpp"

#include <cstdint>

#define HETMP_TOOL_ONLY __attribute__((noinline, cold))

namespace hetmp::runtime::ompt {

/// The calling thread's record; null: nobody is told what it does.
inline ThreadRecord* observed() { return own_thread.observed; }

// ---- threads. By the thread itself.

/// The first of the process's threads starts the tool, if it has one; whether this call did.
HETMP_TOOL_ONLY bool start_tool();
HETMP_TOOL_ONLY void thread_begins(ThreadKind kind);
HETMP_TOOL_ONLY void thread_ends();
/// The program or the tool itself ends it, and with it the calling thread ends for it. Other threads have to say before
/// that they end: team/worker_pool.hpp.
void finish_tool();
bool has_tool();
/// In a forked child, whose parent's tool is not asked what it makes of that: nobody is told anything any more.
void forget_tool_in_child();

// ---- calls of the runtime

/// The program has called the runtime, until the scope ends: what happens is told as of there. For HETMP_ENTERED alone.
class Entered {
 public:
  HETMP_TOOL_ONLY Entered(ThreadRecord& self, const void* caller, SyncKind barrier);
  HETMP_TOOL_ONLY ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  ThreadRecord& self_;
  const void* const caller_before_;
  const SyncKind barrier_before_;
};

/// Calls `body`, the rest of an entry point of the ABI, which is called from `caller`. `barrier`: what a barrier is
/// that it has.
template <class Body>
__attribute__((always_inline)) inline auto entered(const void* caller, Body&& body,
                                                   SyncKind barrier = SyncKind::BarrierImplementation) {
  ThreadRecord* const self = observed();
  if (!self) [[likely]]
    return body();
  const Entered scope(*self, caller, barrier);
  return body();
}

/// By the function that calls what a compiler has outlined: its own frame.
inline void note_exit_frame(void* frame) {
  if (ThreadRecord* const self = observed(); self && self->task) [[unlikely]] {
    self->task->frame.exit.pointer = frame;
    self->task->frame.exit_flags = frame_of_runtime | frame_pointer;
  }
}

// ---- regions

/// The calling thread's task has met a parallel construct (flags: interface.hpp). The record is for region_ends();
/// null: nobody is told.
RegionRecord* tell_region_begins(ThreadRecord& self, uint32_t requested, int flags);
inline RegionRecord* region_begins(uint32_t requested, int flags) {
  ThreadRecord* const self = observed();
  return self ? tell_region_begins(*self, requested, flags) : nullptr;
}
/// Destroys it.
HETMP_TOOL_ONLY void region_ends(RegionRecord* region);

/// The thread begins its part of a region.
HETMP_TOOL_ONLY void implicit_task_begins(RegionRecord& region, uint32_t number, uint32_t team_size,
                                          int flags = task_implicit);
/// Its code is over; the region's end follows.
HETMP_TOOL_ONLY void implicit_task_returns();
HETMP_TOOL_ONLY void implicit_task_ends(uint32_t team_size);
/// The thread leaves the region, whose record may go.
inline void leave_region_record() {
  if (ThreadRecord* const self = observed(); self && self->task) [[unlikely]] {
    self->task->region = nullptr;
    self->task->below = nullptr;
  }
}

// ---- synchronisation

/// The thread waits at a barrier, a taskwait or the end of a taskgroup until the scope ends.
class SyncRegion {
 public:
  explicit SyncRegion(SyncKind kind) : self_(observed()) {
    if (self_) [[unlikely]]
      begin(kind);
  }
  /// A barrier that the program has called, of the kind that the entry point knows.
  SyncRegion() : self_(observed()) {
    if (self_) [[unlikely]]
      begin(self_->barrier);
  }
  ~SyncRegion() {
    if (self_) [[unlikely]]
      end();
  }
  SyncRegion(const SyncRegion&) = delete;
  SyncRegion& operator=(const SyncRegion&) = delete;

 private:
  HETMP_TOOL_ONLY void begin(SyncKind kind);
  HETMP_TOOL_ONLY void end();

  ThreadRecord* const self_;
  SyncKind kind_{};
  State state_before_{};
};

/// A taskgroup begins; and the thread waits for its end, until the scope ends, and then it is over.
HETMP_TOOL_ONLY void taskgroup_begins();
class TaskgroupEnd {
 public:
  TaskgroupEnd() : self_(observed()) {
    if (self_) [[unlikely]]
      begin();
  }
  ~TaskgroupEnd() {
    if (self_) [[unlikely]]
      end();
  }
  TaskgroupEnd(const TaskgroupEnd&) = delete;
  TaskgroupEnd& operator=(const TaskgroupEnd&) = delete;

 private:
  HETMP_TOOL_ONLY void begin();
  HETMP_TOOL_ONLY void end();

  ThreadRecord* const self_;
};

/// Threads' copies of variables are combined meanwhile.
class Reducing {
 public:
  Reducing() : self_(observed()) {
    if (self_) [[unlikely]]
      tell(Endpoint::Begin);
  }
  ~Reducing() {
    if (self_) [[unlikely]]
      tell(Endpoint::End);
  }
  Reducing(const Reducing&) = delete;
  Reducing& operator=(const Reducing&) = delete;

 private:
  HETMP_TOOL_ONLY void tell(Endpoint endpoint);

  ThreadRecord* const self_;
};

HETMP_TOOL_ONLY void lock_begins(MutexKind kind, uint32_t hint, const void* lock);
HETMP_TOOL_ONLY void lock_ends(MutexKind kind, const void* lock);
/// The thread wants it, and may wait. `hint`: as given with the lock.
HETMP_TOOL_ONLY void mutex_is_wanted(MutexKind kind, const void* mutex, uint32_t hint = 0);
HETMP_TOOL_ONLY void mutex_is_taken(MutexKind kind, const void* mutex);
HETMP_TOOL_ONLY void mutex_is_not_taken(); ///< it was only tested
HETMP_TOOL_ONLY void mutex_is_released(MutexKind kind, const void* mutex);
HETMP_TOOL_ONLY void nest_lock_goes_on(Endpoint endpoint, const void* lock); ///< set again, or not the last time unset

/// Takes a mutex by `take`.
template <class Take>
__attribute__((always_inline)) inline void take_mutex(MutexKind kind, const void* mutex, Take&& take,
                                                      uint32_t hint = 0) {
  if (!observed()) [[likely]]
    return take();
  mutex_is_wanted(kind, mutex, hint);
  take();
  mutex_is_taken(kind, mutex);
}
/// Releases it by `release`.
template <class Release>
__attribute__((always_inline)) inline void release_mutex(MutexKind kind, const void* mutex, Release&& release) {
  release();
  if (observed()) [[unlikely]]
    mutex_is_released(kind, mutex);
}

HETMP_TOOL_ONLY void tell_flush();
HETMP_TOOL_ONLY void tell_masked(Endpoint endpoint);
HETMP_TOOL_ONLY void tell_cancel(int flags);

// ---- work sharing

/// The thread begins its part of a construct; `count`: of iterations or sections in all.
HETMP_TOOL_ONLY void work_begins(WorkKind kind, uint64_t count);
HETMP_TOOL_ONLY void work_ends();
/// A construct of which others execute all.
HETMP_TOOL_ONLY void tell_single_other();
HETMP_TOOL_ONLY void tell_chunk(DispatchKind kind, uint64_t start, uint64_t iterations);
HETMP_TOOL_ONLY void tell_section(const void* code);

// ---- tasks

/// The thread's task generates one. The record goes with the task's.
HETMP_TOOL_ONLY TaskRecord* task_is_created(int flags, bool has_dependences, const void* body, uint64_t body_bytes);
HETMP_TOOL_ONLY void tell_dependences(TaskRecord& task, const Dependence* list, int count);
HETMP_TOOL_ONLY void tell_own_dependences(const Dependence* list, int count); ///< of the task that is executed
HETMP_TOOL_ONLY void tell_dependence(TaskRecord& source, TaskRecord& sink);
/// The thread executes it from now on, in the place of the one it has, which is returned; null: nobody is told.
HETMP_TOOL_ONLY TaskRecord* task_is_begun(TaskRecord& task);
/// It does not: the task's taskgroup has been cancelled.
HETMP_TOOL_ONLY void tell_discarded(TaskRecord& task);
/// It goes back to that one, `before`; null: nobody has been told that it is executed.
HETMP_TOOL_ONLY void task_is_left(TaskRecord& task, TaskStatus status, TaskRecord* before);
/// The same of a part of an untied task, when other threads may execute the next one already: it belongs to them.
HETMP_TOOL_ONLY void part_is_left(TaskRecord& task, TaskRecord* before);
/// Of a taskwait with dependences, which has a record as a task has.
HETMP_TOOL_ONLY void tell_taskwait_complete(TaskRecord& taskwait);
/// By any thread, one that nobody knows, too.
HETMP_TOOL_ONLY void tell_fulfilment(TaskRecord& task);
HETMP_TOOL_ONLY void forget_task(TaskRecord* task);

// ---- what else there is

/// omp_control_tool: what the tool says, or libomp's numbers for that there is none.
int control_tool(uint64_t command, uint64_t modifier, void* argument);
HETMP_TOOL_ONLY void tell_error(Severity severity, const char* message, const void* caller);

} // namespace hetmp::runtime::ompt
