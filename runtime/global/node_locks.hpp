// Locks and critical sections of a program on several nodes. See global_level.hpp.
#pragma once

#include <cstdint>

namespace hetmp::runtime {

/// What a node says of locks that it does not own, or no longer; sync/node_lock.hpp hears the answers. `key`: an
/// address that means the same on all nodes.
class NodeLocks {
 public:
  /// The lock will be granted. Does not wait.
  virtual void ask_lock(uint64_t key) = 0;
  /// Whether the calling thread has got the lock, which it does if no thread of any node holds or awaits it.
  virtual bool try_lock(uint64_t key) = 0;
  /// `again`: and asks for it. Does not wait.
  virtual void give_back_lock(uint64_t key, bool again) = 0;
  /// A thread of another node has taken the lock, and the calling thread releases it. Does not wait.
  virtual void release_lock(uint64_t key) = 0;
  /// How often threads of this node have asked for locks; only grows.
  virtual uint64_t asked_locks() const = 0;
  /// The calling thread begins, or ends, to wait for a lock that another node has.
  virtual void waits_outside(bool begins) = 0;

 protected:
  ~NodeLocks() = default; // whoever implements it lives as long as the process
};

} // namespace hetmp::runtime
