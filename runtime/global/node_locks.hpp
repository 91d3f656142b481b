// Locks and critical sections of a program on several nodes. See global_level.hpp.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

class NodeLocks {
 public:
  /// Mutual exclusion between nodes for the lock or critical section at `key` (an address that means the same on all
  /// nodes). Called by at most one thread of a node at a time per key; local threads queue before (core/node_lock).
  virtual void lock(uint64_t key) = 0;
  /// lock() if no node holds it now; whether it was taken.
  virtual bool try_lock(uint64_t key) = 0;
  virtual void unlock(uint64_t key) = 0;

 protected:
  ~NodeLocks() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
