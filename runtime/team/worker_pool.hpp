// Worker threads that have nothing to do. One pool for each node inside the process; workers stay on their node.
#pragma once

#include "runtime/wait/futex_lock.hpp"

namespace hetmp::runtime {

struct Thread;

class WorkerPool {
 public:
  /// An idle worker or a new one; null if the system refuses another thread. The caller then sets the worker's job and
  /// what that needs, and posts its `go`. Any thread.
  Thread* take();

  /// Workers that were taken and are no longer needed. They may still be on their way out of a region. Any thread.
  void give_back(Thread* worker);

  /// In a forked child: the idle workers do not exist here.
  void forget() { idle_ = nullptr; }

 private:
  /// With the lock held.
  bool is_idle(const Thread& worker) const;

  FutexLock lock_;
  Thread* idle_ = nullptr; ///< last in, first out: the caches of the last one are warmest
};

/// The pool of a node inside this process (of this process if nodes are processes).
WorkerPool& pool_of_node(uint32_t node);

/// For a forked child.
void forget_all_workers();

/// Grows or shrinks the thread's crew to `wanted` workers of its node; fewer if the system refuses.
void resize_crew(Thread& primary, uint32_t wanted);

} // namespace hetmp::runtime
