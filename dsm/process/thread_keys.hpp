// Keys of thread-specific data (pthread_key_create) that the program makes. A key is an index in a table of each
// process's own, and its values are each thread's. So a key that is made on one node is made on all, with the same
// index; and once a thread other than main has a value, thread numbers are to stay with their threads, as for
// thread-local variables (RuntimeHooks::bound_to_origin).
//
// The origin's table alone says which index is free: whoever wants a key has it allotted there, then made elsewhere.
// So nodes that make keys at the same time are given different ones. A key that is deleted is taken from the origin's
// table last: until then nobody is given it anew.
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

  /// As pthread_key_create() and pthread_key_delete(). Any thread of any node, but the service thread.
  int create(pthread_key_t* key, void (*destroy)(void*));
  int remove(pthread_key_t key);
  /// Whether `key` is for remove().
  bool is_of_all_nodes(pthread_key_t key) const { return key < PTHREAD_KEYS_MAX && of_all_nodes_[key]; }

  /// Whether the calling thread is the first one but main's to be given a value, as far as is known here.
  bool may_be_first() const;
  /// A thread of the program's is given a value. Any node.
  void has_value();

  /// Service thread, of the origin: a free index for all nodes. Returns 0 or an errno value.
  int allot(void (*destroy)(void*), pthread_key_t* key);
  /// Any thread. Returns 0 or an errno value, EBUSY: another thread is at it; at the origin there is nothing left to
  /// do.
  int create_here(const Change& change);
  /// Service thread. The origin's is asked last.
  int remove_here(const Change& change);

 private:
  int ask_for(void (*destroy)(void*), pthread_key_t* key);
  bool make_everywhere(const Change& change);
  int put_into_table(pthread_key_t wanted, void (*destroy)(void*));

  NodeProcess& process_;
  std::vector<LoadedObject> theirs_;
  /// Indices in this process's table that belong to the nodes: no private object's. Elsewhere than at the origin some
  /// may not have been allotted yet. Sequentially consistent: seldom used.
  std::array<std::atomic<bool>, PTHREAD_KEYS_MAX> of_all_nodes_{};
  /// Elsewhere than at the origin: keys are being made. No lock that is waited for: a thread that had it might wait for
  /// a page, and the service thread for the thread.
  std::atomic<bool> table_in_use_{false};
  std::atomic<bool> bound_{false}; ///< relaxed: a hint, threads are bound again at worst
};

} // namespace hetmp::dsm
