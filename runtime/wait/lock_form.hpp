// In which of two forms a program's locks are, and how the form changes. A lock is either a word, the lock's own
// variable, which threads of this process exchange, or an entry of a table, which threads of all nodes can take.
//
// Each thread counts what it is about to take or has taken, less what it has released: up first, then a look at the
// form; down last, when the lock has been released. Who changes the form says so first, then makes all threads pass a
// barrier, then reads all counts. So of a thread and the changer one sees the other (Dekker): the thread's count was up
// before its barrier, and the changer sees it; or it looks at the form after its barrier, and finds that it changes.
// The barrier is the kernel's (membarrier): the thread, which comes this way all the time, needs none of its own.
//
//   F1  A word is taken or released only while the form is Words or LeavingWords, an entry only while it is Table or
//       LeavingTable.
//   F2  The form becomes another one only while nobody holds or awaits a lock: so in the form that is left, all locks
//       are free.
//   F3  The form is the same from before a lock is taken until it has been released, but for a change that is begun
//       and given up. So whoever holds a lock needs not ask how it has taken it.
//   F4  What was done under a lock in one form is visible under the same lock in the other one.
//   F5  Nobody waits for a lock while the form changes, and the changer waits for nobody.
//
// One thread may take a lock and another one release it: only the sum of the counts means something.
#pragma once

#include "runtime/wait/wait.hpp"

#include <climits>
#include <cstdint>

namespace hetmp::runtime {

/// Locks taken less those released, of one thread, which alone writes it.
template <class Machine> class OwnLockCountOn {
 public:
  /// release: pairs with value(); whoever sees the lock released sees what was done under it (F4).
  void add(int32_t more) {
    count_.store(count_.load(std::memory_order_relaxed) + uint32_t(more), std::memory_order_release);
  }
  uint32_t value() const { return count_.load(std::memory_order_acquire); } ///< pairs with add()

 private:
  typename Machine::template Atomic<uint32_t> count_{0}; ///< modulo 2^32, as their sum; relaxed: the thread's own
};

/// The same of threads that have no count of their own.
template <class Machine> class SharedLockCountOn {
 public:
  void add(int32_t more) { count_.fetch_add(uint32_t(more), std::memory_order_release); } // pairs with value()
  uint32_t value() const { return count_.load(std::memory_order_acquire); }               // pairs with add()

 private:
  typename Machine::template Atomic<uint32_t> count_{0};
};

template <class Machine> class LockFormOn {
 public:
  /// Alone: there is one process. Words that nobody counts, for ever, or until what follows begins.
  enum Form : uint32_t { Alone, Table, LeavingTable, Words, LeavingWords };

  constexpr LockFormOn() = default;
  explicit LockFormOn(Form first) : form_(first) {}

  bool is_alone() const { return form_.load(std::memory_order_relaxed) == Alone; } // relaxed: of begin_as()

  /// Counts a lock that the calling thread is about to take, and says what it is: true for a word. Stands until the
  /// count goes down again.
  template <class Count> bool enter(Count& count) {
    while (true) {
      count.add(1);
      Machine::keep_order();
      const uint32_t form = form_.load(std::memory_order_acquire); // pairs with change(): F4
      if (form == Words || form == Table)
        return form == Words;
      count.add(-1);
      Machine::futex_wait(form_, form);
    }
  }

  /// As enter() if locks are words; else nothing has happened.
  template <class Count> bool enter_if_words(Count& count) {
    count.add(1);
    Machine::keep_order();
    const bool words = form_.load(std::memory_order_acquire) == Words; // pairs with change(): F4
    if (!words)
      count.add(-1);
    return words;
  }

  /// By the thread that holds a lock, of that one (F3). By others: what locks are now, or were a moment ago.
  bool is_words() const {
    const uint32_t form = form_.load(std::memory_order_relaxed); // relaxed: who has taken the lock has seen it
    return form == Words || form == LeavingWords;
  }

  /// By one thread at a time. `count_all`: the sum of all threads' counts.
  template <class CountAll> bool become_table(CountAll&& count_all) {
    return change(LeavingWords, Table, Words, count_all);
  }
  template <class CountAll> bool become_words(CountAll&& count_all) {
    return change(LeavingTable, Words, Table, count_all);
  }

  /// Before there are other threads.
  void begin_as(Form form) {
    form_.store(form, std::memory_order_relaxed); // relaxed: nobody else looks
  }

 private:
  template <class CountAll> bool change(Form leaving, Form wanted, Form now, CountAll&& count_all) {
    form_.store(leaving, std::memory_order_relaxed); // relaxed: the barrier brings it to all threads
    const bool changes = Machine::barrier_in_all_threads() && count_all() == 0;
    form_.store(changes ? wanted : now, std::memory_order_release); // pairs with the acquire in enter()
    Machine::futex_wake(form_, INT_MAX);
    return changes;
  }

  typename Machine::template Atomic<uint32_t> form_{Alone};
};

using OwnLockCount = OwnLockCountOn<Host>;
using SharedLockCount = SharedLockCountOn<Host>;
using LockForm = LockFormOn<Host>;

} // namespace hetmp::runtime
