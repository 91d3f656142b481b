// Keys of thread-specific data (pthread_key_create) that the program makes. A key is an index in a table of each
// process's own, and its values are each thread's. So a key that is made on one node is made on all, with the same
// index; and once a thread other than main has a value, thread numbers are to stay with their threads, as for
// thread-local variables (RuntimeHooks::bound_to_origin).
#pragma once

#include "base/loaded_object.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <utility>
#include <vector>

// The C library's other name of its function.
extern "C" int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) noexcept;

namespace hetmp::dsm {

class NodeProcess;
struct Change;

class ThreadKeys {
 public:
  explicit ThreadKeys(NodeProcess& process) : process_(process) {}

  /// `theirs`: private objects; keys that their code makes are their process's own. Before the program's code runs.
  void ignore(std::vector<LoadedObject> theirs) { theirs_ = std::move(theirs); }
  /// Whether the call that returns to `caller` is the program's.
  bool is_programs(const void* caller) const { return !contain(theirs_, reinterpret_cast<uintptr_t>(caller)); }

  /// As pthread_key_create(). Any thread of any node, but the service thread.
  int create(pthread_key_t* key, void (*destroy)(void*));
  /// Whether the calling thread is the first one but main's to be given a value, as far as is known here.
  bool may_be_first() const;
  /// A thread of the program's is given a value. Any node.
  void has_value();

  /// Service thread, on another node. Returns 0 or an errno value.
  int create_here(const Change& change);

 private:
  NodeProcess& process_;
  std::vector<LoadedObject> theirs_;
  std::array<bool, PTHREAD_KEYS_MAX> made_for_others_{}; ///< the service thread's
  std::atomic<bool> bound_{false};                       ///< relaxed: a hint, threads are bound again at worst
};

} // namespace hetmp::dsm
