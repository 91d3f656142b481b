// Worker threads that have nothing to do, and the one that leads. One pool for each node inside the process; workers
// stay on their node.
#pragma once

#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/wait.hpp"

#include <atomic>

namespace hetmp::runtime {

struct Thread;

class WorkerPool {
 public:
  /// An idle worker or a new one; null if the system refuses another thread. The caller then sets the worker's job and
  /// what that needs, and posts its `go`. Any thread.
  Thread* take();

  /// An idle worker, if there is one. Any thread.
  Thread* take_idle();

  /// One that take_idle() has given. Any thread.
  void put_idle(Thread* worker);

  /// Workers that were taken and are no longer needed. They may still be on their way out of a region. Any thread.
  void give_back(Thread* worker);

  /// The worker that leads the node's part of one team after the other, so that thread numbers (and with them
  /// threadprivate variables) stay with the same threads from region to region. Null if it is at work for another team
  /// (of another initial thread), or there can be none. Only of nodes inside one process: a node process has a resident
  /// leader anyway. Any thread.
  Thread* take_resident();

  /// By the resident, when all but the join of its part is done.
  void release_resident(const Thread& resident);

  /// Posted by each worker that has told the program's tool that it ends.
  EventCount& told() { return told_; }

 private:
  /// With the lock held.
  bool is_idle(const Thread& worker) const;

  FutexLock lock_;
  Thread* idle_ = nullptr; ///< last in, first out: the caches of the last one are warmest
  /// From being given a part until all but the join of that part is done: its next part may be posted from then on, and
  /// is found when it comes back.
  std::atomic<bool> resident_taken_{false};
  EventCount told_;            ///< see told()
  Thread* resident_ = nullptr; ///< belongs to whoever set `resident_taken_`
};

/// The pool of a node inside this process (of this process if nodes are processes).
WorkerPool& pool_of_node(uint32_t node);

/// Ends the program's tool (OMPT), if it has one: it hears of the ends of the workers that wait for work, of the
/// calling thread's, and then of its own. A worker that is executing something, as where a region's thread calls
/// exit(), does not end for it.
void end_tool();

/// For a forked child.
void forget_all_workers();

/// Grows or shrinks the thread's crew to `wanted` workers of its node; fewer if the system refuses.
void resize_crew(Thread& primary, uint32_t wanted);

} // namespace hetmp::runtime
