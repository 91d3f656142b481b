// Worker threads that have nothing to do, and the one that leads. One pool for each node inside the process; workers
// stay on their node.
#pragma once

#include "runtime/wait/futex_lock.hpp"

#include <atomic>

namespace hetmp::runtime {

struct Thread;

class WorkerPool {
 public:
  /// An idle worker or a new one; null if the system refuses another thread. The caller then sets the worker's job and
  /// what that needs, and posts its `go`. Any thread.
  Thread* take();

  /// Workers that were taken and are no longer needed. They may still be on their way out of a region. Any thread.
  void give_back(Thread* worker);

  /// The worker that leads the node's part of one team after the other, so that thread numbers (and with them
  /// threadprivate variables) stay with the same threads from region to region. Null if it is at work for another team
  /// (of another initial thread), or there can be none. Only of nodes inside one process: a node process has a resident
  /// leader anyway. Any thread.
  Thread* take_resident();

  /// By the resident, when all but the join of its part is done.
  void release_resident(const Thread& resident);

 private:
  /// With the lock held.
  bool is_idle(const Thread& worker) const;

  FutexLock lock_;
  Thread* idle_ = nullptr; ///< last in, first out: the caches of the last one are warmest
  /// From being given a part until all but the join of that part is done: its next part may be posted from then on, and
  /// is found when it comes back.
  std::atomic<bool> resident_taken_{false};
  Thread* resident_ = nullptr; ///< belongs to whoever set `resident_taken_`
};

/// The pool of a node inside this process (of this process if nodes are processes).
WorkerPool& pool_of_node(uint32_t node);

/// For a forked child.
void forget_all_workers();

/// Grows or shrinks the thread's crew to `wanted` workers of its node; fewer if the system refuses.
void resize_crew(Thread& primary, uint32_t wanted);

} // namespace hetmp::runtime
