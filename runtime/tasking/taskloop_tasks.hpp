// The tasks of a taskloop, made as late as possible: "lazy binary splitting" (Tzannes, Caragea, Barua, Vishkin: Lazy
// binary-splitting, PPoPP 2010). The tasks are numbered, and a range of numbers is one entry of a queue. A thread
// executes the tasks of its range one after the other in one record; when its queue is empty, so that nobody could take
// anything from it, it puts the later half of what it has left there: at once if the loop has few tasks, else once in a
// while. A thread on a journey (task_journey.hpp) that finds its range's tasks large makes them each by itself: these
// can be executed elsewhere.
#pragma once

#include "base/check.hpp"
#include "runtime/ompt/interface.hpp"
#include "runtime/tasking/execution.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

/// What the tasks of one taskloop are made from. On the heap: it ends with the last of them. Any thread calls its
/// functions.
class TaskloopSource {
 public:
  /// `priority`: of each task.
  TaskloopSource(uint64_t tasks, uint32_t priority) : tasks_(tasks), priority_(priority) {}
  TaskloopSource(const TaskloopSource&) = delete;
  TaskloopSource& operator=(const TaskloopSource&) = delete;

  /// A record for any of the tasks, a child of the thread's present one; its body is not filled in.
  virtual ExplicitTask& make(Thread& self) = 0;

  /// Gives it the body of task `number`, whatever has run in it before.
  virtual void fill(ExplicitTask& task, uint64_t number) = 0;

  /// Its iterations, for a tool.
  virtual ompt::DispatchChunk chunk(uint64_t number) const = 0;

  uint64_t tasks() const { return tasks_; }
  uint32_t priority() const { return priority_; }

  /// By one that holds it already, so relaxed: it cannot end meanwhile.
  void retain() { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    // acq_rel: whoever deletes it comes after all that used it.
    const uint32_t before = users_.fetch_sub(1, std::memory_order_acq_rel);
    HETMP_CHECK(before != 0);
    if (before == 1)
      delete this;
  }

 protected:
  virtual ~TaskloopSource() = default;

 private:
  const uint64_t tasks_;
  const uint32_t priority_;
  std::atomic<uint32_t> users_{1};
};

enum class TaskloopExecution : uint8_t {
  Undeferred, ///< all at once, by this thread
  Submitted,  ///< all are made before this returns
  MadeLate,   ///< tasks may be made after this has returned
};

/// Generates the tasks; some are executed at once. The caller's reference is used up.
void generate_taskloop(Thread& self, TaskloopSource& source, TaskloopExecution execution);

} // namespace hetmp::runtime
