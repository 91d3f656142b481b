// What the threads of each protocol do: the worlds to explore. Data are atomics that are only accessed relaxed, so what
// is written before a release has to arrive by the protocol's own orders.
#pragma once

#include "interleavings.hpp"

#include "runtime/wait/bell.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/lock_form.hpp"
#include "runtime/wait/posted_bits.hpp"
#include "runtime/wait/region_end.hpp"
#include "runtime/wait/team_release.hpp"
#include "runtime/wait/wait.hpp"

namespace hetmp::runtime::model {

constexpr auto relaxed = std::memory_order_relaxed;
using Datum = Atomic<uint32_t>;

/// Thread 0 waits for two posts, each by another thread.
struct TwoPosts {
  static constexpr int epoch = 0, sleepers = 1; ///< atomics in the order in which they are made
  static constexpr int threads = 3;
  EventCountOn<Machine> event;
  Datum data[2];

  void run(int thread) {
    if (thread != 0) {
      data[thread - 1].store(1, relaxed);
      event.post();
      return;
    }
    for (uint32_t seen; (seen = event.epoch()) != 2;)
      event.wait_while(seen);
    require(data[0].load(relaxed) == 1, "the first poster's data are not there");
    require(data[1].load(relaxed) == 1, "the second poster's data are not there");
  }
};

/// Threads 0 and 1 wait for one post.
struct TwoWaiters {
  static constexpr int epoch = 0, sleepers = 1;
  static constexpr int threads = 3;
  EventCountOn<Machine> event;
  Datum datum;

  void run(int thread) {
    if (thread == 2) {
      datum.store(1, relaxed);
      event.post();
      return;
    }
    event.wait_while(0);
    require(datum.load(relaxed) == 1, "the poster's data are not there");
  }
};

/// Thread 0 waits for two conditions, which others make true.
template <bool plain_writes> struct TwoConditions {
  static constexpr int rings = 0, sleepers = 1, condition = 2;
  static constexpr int threads = 3;
  BellOn<Machine> bell;
  Atomic<uint32_t> conditions[2];

  void run(int thread) {
    if (thread == 0) {
      bell.wait_until([&] {
        return conditions[0].load(std::memory_order_seq_cst) == 1 && conditions[1].load(std::memory_order_seq_cst) == 1;
      });
      return;
    }
    if (plain_writes) {
      conditions[thread - 1].store(1, relaxed);
      bell.ring_after_plain_writes();
    } else {
      conditions[thread - 1].store(1, std::memory_order_seq_cst);
      bell.ring();
    }
  }
};

/// Threads 0 and 1 wait for a condition that thread 2 makes true.
struct TwoListeners {
  static constexpr int rings = 0, sleepers = 1, condition = 2;
  static constexpr int threads = 3;
  BellOn<Machine> bell;
  Atomic<uint32_t> condition_met;

  void run(int thread) {
    if (thread != 2)
      return bell.wait_until([&] { return condition_met.load(std::memory_order_seq_cst) == 1; });
    condition_met.store(1, std::memory_order_seq_cst);
    bell.ring();
  }
};

/// Thread 0 waits for two iterations of a doacross loop that share their words, each posted by another thread.
struct TwoIterations {
  static constexpr int posted = 0, awaited = 1;
  static constexpr int threads = 3;
  PostedBitsOn<Machine> iterations;
  Datum data[2];

  void run(int thread) {
    if (thread != 0) {
      data[thread - 1].store(1, relaxed);
      iterations.post(uint32_t(thread - 1));
      return;
    }
    for (const uint32_t bit : {0u, 1u}) {
      iterations.wait_for(bit);
      require(data[bit].load(relaxed) == 1, "what came before the iteration was posted is not there");
    }
  }
};

/// Threads 0 and 1 wait for the same iteration.
struct TwoFollowers {
  static constexpr int posted = 0, awaited = 1;
  static constexpr int threads = 3;
  PostedBitsOn<Machine> iterations;
  Datum datum;

  void run(int thread) {
    if (thread == 2) {
      datum.store(1, relaxed);
      iterations.post(3);
      return;
    }
    iterations.wait_for(3);
    require(datum.load(relaxed) == 1, "what came before the iteration was posted is not there");
  }
};

/// Thread 0 is the primary of two regions in a row, which workers leave.
struct TwoRegions {
  static constexpr int helping = 0, word = 1, sleeps = 2, next = 3;
  static constexpr int threads = 3;
  RegionEndOn<Machine> end;
  Atomic<uint32_t> begun; ///< the second region
  Datum data[2];
  TwoRegions() { end.start(2, 1); }

  void run(int thread) {
    if (thread == 2) {
      data[1].store(1, relaxed);
      end.leave();
      return;
    }
    if (thread == 1) {
      data[0].store(1, relaxed);
      require(end.leave_unless_tasks(), "there are no tasks");
      if (begun.load(std::memory_order_acquire) == 1) // else it would wait: not this protocol's doing
        end.leave();
      return;
    }
    require(end.wait_or_tasks(), "there are no tasks");
    require(data[0].load(relaxed) == 1 && data[1].load(relaxed) == 1, "a worker's data are not there");
    require(end.workers() == 0, "the region ends before all have left");
    end.start(1, 2);
    begun.store(1, std::memory_order_release);
    require(end.workers() <= 1, "a worker has left twice");
  }
};

/// Thread 2 announces tasks and calls the other worker back if that has left before; it leaves in that one's place, who
/// would do it later. The primary, thread 0, waits for the end. As leave_region(), announce_tasks() and finish_region()
/// have it (tasking/helping.cpp), without the tasks.
struct CallBack {
  static constexpr int helping = 0, word = 1, sleeps = 2, leaving = 3;
  static constexpr int threads = 3;
  RegionEndOn<Machine> end;
  Atomic<uint32_t> leaving_region;
  CallBack() { end.start(2, 1); }

  bool take_leaving() {
    uint32_t region = 1;
    return leaving_region.compare_exchange_strong(region, 0, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  void run(int thread) {
    if (thread == 0) {
      if (!end.wait_or_tasks())
        end.wait();
      require(end.workers() == 0, "the region ends before all have left");
      return;
    }
    if (thread == 1) {
      leaving_region.store(1, std::memory_order_release);
      if (end.leave_unless_tasks())
        return;
      take_leaving(); // it stays or has been called back, and leaves once more
    } else if (end.announce_tasks() && take_leaving()) {
      end.add(1);
      end.leave();
    }
    end.leave();
  }
};

/// Threads 0 and 1 wait at a barrier that thread 2 completes.
struct Barrier {
  static constexpr int word = 0, sleepers = 1;
  static constexpr int threads = 3;
  TeamReleaseOn<Machine> released;
  Datum datum;

  void run(int thread) {
    if (thread == 2) {
      datum.store(1, relaxed);
      released.complete();
      return;
    }
    if (thread == 0)
      released.wait_while(0);
    else
      require(released.wait_or_tasks(0), "there are no tasks");
    require(datum.load(relaxed) == 1, "what was written before the barrier is not there");
  }
};

/// Thread 0 waits at a barrier; thread 1 announces tasks and comes to it, thread 2 completes it once tasks are known.
struct BarrierWithTasks {
  static constexpr int word = 0, sleepers = 1;
  static constexpr int threads = 3;
  TeamReleaseOn<Machine> released;
  Datum task;

  void run(int thread) {
    if (thread == 0) {
      if (!released.wait_or_tasks(0)) {
        require(task.load(relaxed) == 1, "an announced task is not there");
        released.wait_while(0);
      }
      require(released.epoch() == 2, "the barrier is complete before its time");
    } else if (thread == 1) {
      task.store(1, relaxed);
      released.announce_tasks();
    } else {
      released.wait_or_tasks(0); // nobody else completes it: there are tasks
      require(task.load(relaxed) == 1, "an announced task is not there");
      released.complete_with_tasks();
    }
  }
};

/// Each thread enters a critical section once.
template <int number_of_threads> struct CriticalSections {
  static constexpr int word = 0;
  static constexpr int threads = number_of_threads;
  FutexLockOn<Machine> lock;
  Datum inside;

  void run(int) {
    lock.lock();
    require(inside.load(relaxed) == 0, "two threads are in the critical section at once");
    inside.store(1, relaxed);
    inside.store(0, relaxed);
    if (!lock.unlock_if_nobody_waits())
      lock.unlock();
  }
};

/// Thread 0 changes the form of locks, and changes it back if it can; the others take a lock and release it, which is a
/// word or an entry as the form is: nobody may be inside by the one while another is, or seems to be, by the other.
template <int number_of_threads, int changes, bool begins_with_words, bool known> struct ChangingForm {
  static constexpr int form = 0, first_count = 1, shared_count = 3;
  static constexpr int threads = number_of_threads;
  using Form = LockFormOn<Machine>;
  Form locks{begins_with_words ? Form::Words : Form::Table};
  OwnLockCountOn<Machine> own[2];
  SharedLockCountOn<Machine> shared;
  Datum inside[2]; ///< by which form each thread is

  void run(int thread) {
    if (thread == 0)
      change();
    else if (known)
      take_and_release(thread - 1, own[thread - 1]);
    else
      take_and_release(thread - 1, shared);
  }

  void change() {
    const auto count_all = [&] { return known ? own[0].value() + own[1].value() : shared.value(); };
    for (int i = 0; i < changes; i++)
      if (locks.is_words())
        locks.become_table(count_all);
      else
        locks.become_words(count_all);
  }

  template <class Count> void take_and_release(int me, Count& count) {
    const bool is_word = (known && locks.enter_if_words(count)) || locks.enter(count);
    const uint32_t by = is_word ? Form::Words : Form::Table;
    inside[me].store(by, relaxed);
    const uint32_t other = inside[1 - me].load(relaxed);
    require(other == 0 || other == by, "two threads are inside by different locks");
    require(locks.is_words() == is_word, "the form has changed under a lock that is held");
    inside[me].store(0, relaxed);
    count.add(-1);
  }
};

/// Thread 1 enters and leaves; once it is known to have left nothing is in the way of a change.
struct FormIsFree {
  static constexpr int form = 0, first_count = 1;
  static constexpr int threads = 2;
  LockFormOn<Machine> locks{LockFormOn<Machine>::Words};
  OwnLockCountOn<Machine> own;
  Atomic<uint32_t> left;

  void run(int thread) {
    if (thread == 1) {
      locks.enter(own);
      own.add(-1);
      left.store(1, std::memory_order_release);
      return;
    }
    const bool has_left = left.load(std::memory_order_acquire) == 1;
    const bool changed = locks.become_table([&] { return own.value(); });
    require(changed || !has_left, "the form does not change although nobody holds a lock");
    require(locks.is_words() != changed, "the form is another one than was said");
  }
};

} // namespace hetmp::runtime::model
