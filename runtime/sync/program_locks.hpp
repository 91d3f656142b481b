// A program's locks: omp_lock_t, critical sections, atomics without an instruction. Mutual exclusion between all
// threads of the program. Not recursive.
//
// In one process they are words: the lock's own variable. So they are with several node processes, while the program
// stays at home. When a region runs on
// several nodes they are entries of a table (node_lock.hpp), named by the address of that variable, which nobody
// touches: its page would wander between the nodes, with all that lies beside it. The form is one for all locks, and
// wait/lock_form.hpp has how it changes; this class has when:
//
//   - Words only on the origin, and only while no region runs on several nodes and no lock is away: then threads of
//     this process alone take and release locks. Elsewhere the form is Table for ever.
//   - Before a region on several nodes begins the form becomes Table. If it cannot, because somebody holds a lock, the
//     region stays.
//   - When a region at home begins it becomes Words, if it can. Locks that rest on another node come home when they are
//     used here; until then it is Table.
#pragma once

#include "runtime/sync/node_lock.hpp"
#include "runtime/wait/lock_form.hpp"

namespace hetmp::runtime {

class ProgramLocks {
 public:
  constexpr ProgramLocks() = default;

  // Threads of the program. They may be abroad (dsm/migration): no gate stands before functions that begin with one of
  // these three, so that a lock at home costs no more for it, and these bring their thread home.

  void lock(FutexLock& lock) {
    if (is_alone())
      lock.lock();
    else
      lock_counted(lock);
  }
  bool try_lock(FutexLock& lock) { return is_alone() ? lock.try_lock() : try_lock_counted(lock); }
  /// By the thread that has taken it, or another one that the program considers its holder: OpenMP wants it to be the
  /// same task, but libomp and libgomp do not look, and programs count on that (a last reader lets writers in).
  void unlock(FutexLock& lock) {
    if (is_alone())
      lock.unlock();
    else
      unlock_counted(lock);
  }

  // The same in parts, for locks whose words are more than one number. A key is the lock's address.

  /// There is one process: what follows is of no use, and words are all that is needed.
  bool is_alone() const { return form_.is_alone(); }

  /// The calling thread is about to take a lock: a word if this is true, else the table's. It calls leave() when it has
  /// released the lock, or not got it.
  bool enter();
  void leave();
  /// Of a lock that the calling thread holds.
  bool are_words() const { return form_.is_words(); }
  NodeLockTable& table() { return table_; }
  static uint64_t key_of(const void* lock) { return reinterpret_cast<uint64_t>(lock); }
  /// For the placement of regions: nodes would ask each other for the lock that the calling thread takes.
  static void note_exclusion();

  /// The service thread: a thread of another node has released the lock for the one of this node that has it. What is
  /// to be told to the coordinator.
  lock_word::Tell released_elsewhere(uint64_t key);

  // Regions. By the threads that meet them on the origin.

  /// The form may change from now on; it is Words. On the origin, before the program has threads.
  void begin_with_words();
  /// Nodes are processes, and the form is Table for ever. On other nodes than the origin, and where nothing else helps.
  /// `come_home`: of dsm::Fabric, where threads of the origin may be guests.
  void stay_in_table(void (*come_home)() = nullptr);
  /// In a forked child, which has one process.
  void become_alone();
  /// Whether the calling thread's own locks would keep a region that it meets from spreading.
  bool keep_region_here() const;
  /// A region is to begin on several nodes; false: it cannot, because somebody holds a lock.
  bool spread();
  /// It is over, or does not begin.
  void came_back();
  /// A region begins at home.
  void stay_at_home() {
    if (may_become_words())
      try_to_become_words();
  }

 private:
  void lock_counted(FutexLock& lock);
  bool try_lock_counted(FutexLock& lock);
  void unlock_counted(FutexLock& lock);
  void be_at_home() const;
  void lock_as_stranger(FutexLock& lock);
  void unlock_as_stranger(FutexLock& lock);
  static void wait_for(FutexLock& lock);
  void lock_here(FutexLock& lock);
  bool try_lock_here(FutexLock& lock);
  void unlock_here(FutexLock& lock);
  bool may_become_words() const;
  void try_to_become_words();
  uint32_t held() const;

  NodeLockTable table_;
  LockForm form_;
  void (*come_home_)() = nullptr;       ///< null where nobody is a guest
  bool changes_ = false;                ///< the form may; else it is Table, or Alone, for ever
  SharedLockCount others_count_;        ///< of threads that the runtime does not know
  FutexLock changing_;                  ///< who changes the form
  std::atomic<uint32_t> spread_now_{0}; ///< regions; written with `changing_` held; relaxed: looked at again with it
};

extern ProgramLocks program_locks;

} // namespace hetmp::runtime
