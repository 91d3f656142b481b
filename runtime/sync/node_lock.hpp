// Locks by key on one node of a program: mutual exclusion between all threads of all nodes. A lock stays with the node
// that had it last until another one wants it (lock_word.hpp has the states and the invariants).
//
// Threads of the program take and release locks, and may fault anywhere while they do. The service thread brings the
// coordinator's answers. It takes no lock: it changes words by compare-and-exchange only, and never gives one to a
// lock.
#pragma once

#include "runtime/sync/lock_sets.hpp"

#include <cstdint>
#include <optional>

namespace hetmp::runtime {

class NodeLocks;

class NodeLockTable {
 public:
  constexpr NodeLockTable() = default;

  /// Before threads of this node and of another use locks. Without it all locks are here.
  void attach(NodeLocks& others, bool origin) {
    others_ = &others;
    origin_ = origin;
  }

  // Threads of the program.

  void lock(uint64_t key) {
    LockSet& set = sets_.set_of(key);
    if (!take_resting(set, key))
      lock_slowly(set, key);
  }
  bool try_lock(uint64_t key);
  /// By the thread that holds the lock, or any other of this node that the program considers its holder.
  /// False: no thread of this node held it. Then unlock_elsewhere() is for a lock that another node's may hold.
  bool unlock(uint64_t key) {
    LockSet& set = sets_.set_of(key);
    const LockPlace place = LockSets::find(set, key);
    lock_word::Word word = lock_word::named(key) | lock_word::Here | lock_word::Held;
    // release: pairs with the acquire of whoever takes it next, here or in the service thread.
    return (place && place.word().compare_exchange_strong(word, word & ~lock_word::Held, std::memory_order_release,
                                                          std::memory_order_relaxed)) ||
           unlock_slowly(place, key);
  }

  void unlock_elsewhere(uint64_t key);

  /// The origin: whether other nodes have or want locks, or did a moment ago. No region on several nodes that is over
  /// when this is called has locks elsewhere of which it does not know.
  bool some_are_away() const { return away_.load(std::memory_order_acquire) != 0; } // pairs with came_home()

  // The service thread: what the coordinator says.

  /// What this node has asked for; false if it has not.
  bool granted(uint64_t key, bool recalled);
  /// To the thread that tries it; false if none does.
  bool granted_to_trier(uint64_t key, bool recalled);
  /// What is to be told to the coordinator. `trial`: only if the lock is free. `leaves`: not the origin's alone from
  /// now on.
  lock_word::Tell recalled(uint64_t key, bool trial, bool leaves);
  /// A thread of another node has released the lock for the one that holds it here. As recalled(); nothing at all if no
  /// thread does.
  std::optional<lock_word::Tell> released(uint64_t key);
  /// The origin: the lock is its alone again.
  void came_home(uint64_t key);

 private:
  enum class Entered { Taken, Waits, WaitsAndAsks, Tries, Refused, Busy };

  bool take_resting(LockSet& set, uint64_t key) {
    const LockPlace place = LockSets::find(set, key);
    lock_word::Word word = lock_word::named(key) | lock_word::Here;
    // acquire: pairs with the release in unlock(), the critical section before is visible.
    return place && place.word().compare_exchange_strong(word, word | lock_word::Held, std::memory_order_acquire,
                                                         std::memory_order_relaxed);
  }
  void lock_slowly(LockSet& set, uint64_t key);
  bool unlock_slowly(LockPlace place, uint64_t key);
  static std::optional<lock_word::Tell> release(LockPlace place, uint64_t key);
  bool take_spinning(LockSet& set, uint64_t key);
  void sleep_until_taken(LockSet& set, LockPlace place);
  Entered enter(LockSet& set, uint64_t key, bool tries, LockPlace& place);
  static Entered join(LockPlace place, lock_word::Word word, bool tries);
  Entered place_new(LockSet& set, uint64_t key, bool tries, LockPlace place);
  bool place_at_origin(LockSet& set, uint64_t key, LockPlace place, lock_word::Word otherwise);
  void tell(lock_word::Tell what, uint64_t key);
  static void wake_one(LockPlace place);

  LockSets sets_;
  std::atomic<uint32_t> away_{0}; ///< those of all sets; by the service thread alone
  NodeLocks* others_ = nullptr;
  bool origin_ = true;
};

} // namespace hetmp::runtime
