// The explicit tasks of a team, as far as they are executed on one node.
//
// Nobody counts the team's tasks in one place. Each thread counts those that it generated and those that it completed;
// when all threads of the node are at a barrier and both sums are equal, the tasks are done (see all_complete()).
#pragma once

#include "runtime/task_graph/task_queue.hpp"
#include "runtime/wait/bell.hpp"
#include "schedulers/arithmetic/task_sizes.hpp"

#include <memory>

namespace hetmp::runtime {

struct HandingKnowledge;

struct TeamTasks {
  /// Tasks that a thread has taken and executes one after the other. What it has not begun others may take from there:
  /// it may be on another node, and one of its tasks may wait for a later one.
  struct Batch {
    FutexLock lock;                       ///< guards the rest
    ExplicitTask* const* tasks = nullptr; ///< the thread's, as `taken`
    /// 1: begun, by whoever has set it. acq_rel: one of them does; what is passed on with it the lock has ordered.
    std::atomic<uint32_t>* taken = nullptr;
    uint32_t count = 0;
  };

  /// What one thread of the team has. Counters are written by that thread only.
  struct alignas(cache_line) Member {
    TaskQueue queue;
    // Deferred tasks. Released by the thread that counts, acquired by all_complete().
    std::atomic<uint64_t> generated{0};
    std::atomic<uint64_t> completed{0}; ///< acquired before `generated` is read
    uint32_t last_victim = 0;           ///< whose queue it last took a task from
    int64_t last_steal = 0;             ///< monotonic nanoseconds: when that was
    bool has_plenty = false;            ///< it executes the tasks it generates itself; see has_plenty()
    Batch batch;
    schedulers::TaskSizes sizes;        ///< on journeys, of a region's tasks (tasking/task_journey.hpp)
    const void* sizes_are_of = nullptr; ///< that region's function
    bool keeps_parts = false;           ///< what it executes is not worth the way, and what that generates even less
    int64_t pieces_away_ns = 0; ///< for which tasks that it has executed inside of the one in hand were elsewhere
    int64_t pause_ns = 0;       ///< the last one that it has made; see stay_until
    bool pause_is_over = false; ///< at its last look
    uint32_t looks = 0;         ///< it has wanted to know that so often
  };

  std::unique_ptr<Member[]> members; ///< by local thread number
  uint32_t count = 0;
  TaskQueue of_nobody; ///< made ready by threads that are not of the team: events that were fulfilled
  std::atomic<uint64_t> completed_elsewhere{0}; ///< seq_cst: what idle threads wait for (bell.hpp)
  /// From other nodes, a list; emptied as a whole. What it points to is released by put_back() and acquired by
  /// take_back(); relaxed: a hint that it is not empty.
  std::atomic<ExplicitTask*> back{nullptr};
  std::atomic<uint64_t> batches{0};   ///< begun so far; seq_cst: what idle threads wait for (bell.hpp)
  std::atomic<uint64_t> came_back{0}; ///< seq_cst: what idle threads wait for (bell.hpp)
  /// Another node waits at a barrier, for all that is known: it can be given tasks. Hint, relaxed.
  std::atomic<bool> others_wait{false};
  std::atomic<bool> watched{false}; ///< see task_watch.hpp
  // What is known of the present region's tasks; see handing_over.cpp.
  std::atomic<HandingKnowledge*> knowledge{nullptr};
  std::atomic<const void*> knowledge_is_of{nullptr};
  /// A thread alone on its node keeps tasks for others to take. Programs in which a task waits in a loop for one that
  /// was generated before must come to their end all the same, so it executes them in that order.
  bool oldest_first = false;
  /// Threads on journeys keep the region's tasks at home until then (monotonic nanoseconds), as far as they know these;
  /// 0: they take them elsewhere. relaxed: a hint to those that generate them, see others_leave().
  std::atomic<int64_t> stay_until{0};
  Bell bell; ///< rung when there are new tasks, or completed ones that somebody may wait for

  // Tasks with a priority, highest first; among equals the oldest first.
  FutexLock urgent_lock;
  std::vector<ExplicitTask*> urgent;      ///< guarded by the lock
  std::atomic<uint32_t> urgent_count{0};  ///< written with the lock; relaxed: a hint whether it is worth taking
  std::atomic<uint64_t> urgent_pushes{0}; ///< seq_cst: what idle threads wait for (bell.hpp)

  /// Of the team's constructs that some thread has not ended yet.
  FutexLock reductions_lock;
  std::vector<struct ReductionCopies*> reductions; ///< guarded by the lock

  /// Before a region of `threads` threads, while nobody uses it.
  void reserve(uint32_t threads);

  /// In a forked child, whose threads are gone: as made and reserved for `threads`.
  void forget(uint32_t threads);

  /// Whether that thread, which generates a task, had better execute it at once than leave it to others.
  /// `others_travel`: these may be executed on other CPUs.
  bool has_plenty(uint32_t local_thread, bool others_travel = false);

  /// For that thread, which generates a task: whether others would take some elsewhere.
  bool others_leave(uint32_t local_thread);
  /// That thread has found that the tasks had better stay, or is to take some elsewhere. After a pause they are tried
  /// again; a pause is twice as long as the one before if that has not been worth it.
  void make_pause(uint32_t local_thread);
  void end_pause(uint32_t local_thread);
  bool pause_is_over() const {
    const int64_t until = stay_until.load(std::memory_order_relaxed);
    return until != 0 && monotonic_nanoseconds() >= until;
  }

  /// Any thread of the team.
  void push(uint32_t local_thread, ExplicitTask* task);
  /// Any thread.
  void push_from_outside(ExplicitTask* task);

  /// A task that was away; by whoever receives messages, without a lock.
  void put_back(ExplicitTask* task);
  /// All of those, as a list.
  ExplicitTask* take_back();

  /// The thread executes these, which it has taken, one after the other, if nobody has set `taken` before.
  void begin_batch(uint32_t local_thread, ExplicitTask* const* tasks, std::atomic<uint32_t>* taken, uint32_t count);
  void end_batch(uint32_t local_thread);

  /// The first that take() would look at: without those of others.
  ExplicitTask* take_own(uint32_t local_thread, const GeneratingTask* constraint);

  /// A ready task that thread `local_thread` may run while it is inside of `constraint`; see may_run(). Null if it
  /// finds none near the ends of the queues.
  ExplicitTask* take(uint32_t local_thread, const GeneratingTask* constraint);
  /// By a thread that is about to look at others' queues: if it has been there a moment ago, its tasks are small, and
  /// whoever generates them would be slowed down more by its looking than sped up by its help. It waits until there may
  /// be several to take. Returns early if `done()`.
  template <class Done> void let_tasks_gather(uint32_t local_thread, Done&& done) const {
    constexpr int64_t between_steals = 1000;
    constexpr int pauses_between_looks = 4;
    const int64_t since = members[local_thread].last_steal;
    while (spinning_pays() && monotonic_nanoseconds() - since < between_steals && !done())
      for (int i = 0; i < pauses_between_looks; i++)
        cpu_relax();
  }

  /// Null only if there is none.
  ExplicitTask* take_from_anywhere(const GeneratingTask* constraint);

  /// Changes with every push, and with every task that comes back. seq_cst: what idle threads wait for.
  uint64_t pushes() const;

  /// Whether no deferred task is left, provided that all threads of the node have come to a barrier, as the caller
  /// knows by an acquire operation.
  ///
  /// Why two sums read one after the other suffice: a task is counted as generated before anybody can complete it, so
  /// whoever sees it completed (acquire) sees it generated. Reading the completed ones first therefore never gives more
  /// than the generated ones. If the sums are equal, all tasks seen generated are seen complete. One that is not seen
  /// was generated by an implicit task, but those have come to the barrier, or by an explicit one that is itself not
  /// seen complete, and so on up to an implicit task: there is none.
  bool all_complete() const;

  void count_generated(uint32_t local_thread);
  void count_completed(uint32_t local_thread);

 private:
  ExplicitTask* take_from_batch(uint32_t victim, const GeneratingTask* constraint);
  ExplicitTask* take_from_own_queue(uint32_t local_thread, const GeneratingTask* constraint);

  /// Moves half of a thread's tasks, the oldest, into the queue of another, which is to execute the one returned now
  /// and the rest in the order in which they were generated, unless others take them from there. For many small tasks
  /// of one generating thread the two meet seldom that way. After: D. Hendler, N. Shavit, "Non-blocking steal-half work
  /// queues" (PODC 2002).
  ExplicitTask* steal(uint32_t local_thread, uint32_t victim, const GeneratingTask* constraint);
};

/// The task scheduling constraint (OpenMP 5.1, section 2.12.6): a thread that is inside of tasks may begin another one
/// only if it descends from the innermost of them, `constraint`. It then descends from all, as they were begun under
/// the same rule. The specification asks that of tied tasks only. But an untied one begun otherwise could wait for tied
/// children that the thread may not begin, nor anybody else; and in one that waits, a further part of the untied one
/// that has generated it could wait for it, in vain, since the two are on one stack.
bool may_run(const ExplicitTask& task, const GeneratingTask* constraint);

} // namespace hetmp::runtime
