// Tasks of one thread that are ready to run. The thread takes the newest one, whose data are in its caches and whose
// subtree is the smallest; others take the oldest one, from which the most work will follow.
#pragma once

#include "runtime/task_graph/task.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <vector>

namespace hetmp::runtime {

/// A growing ring under a lock: taking a task needs a look at it first (whether its scheduling constraint allows this
/// thread), which a queue without a lock allows only for records that are never freed.
class TaskQueue {
 public:
  static constexpr uint32_t most_taken = 32;

  void push(ExplicitTask* task) { push(&task, 1); }

  /// The last one first: the owner will take tasks[0] first.
  void push(ExplicitTask* const* tasks, uint32_t count) {
    FutexLockGuard guard(lock_);
    while (count_ + count > ring_.size())
      grow();
    for (uint32_t i = 0; i < count; i++)
      at(count_ + i) = tasks[count - 1 - i];
    set_count(count_ + count);
    HETMP_CHECK_COSTLY(valid());
    pushes_.store(pushes_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }

  /// Null if there is none that `allowed(task)` lets this thread run, among the `most_looked_at` newest. The owner.
  template <class Allowed> ExplicitTask* take_newest(Allowed&& allowed) {
    if (size() == 0)
      return nullptr;
    FutexLockGuard guard(lock_);
    const uint32_t end = count_ < most_looked_at ? count_ : most_looked_at;
    for (uint32_t i = 0; i < end; i++) {
      ExplicitTask* task = at(count_ - 1 - i);
      if (!allowed(*task))
        continue;
      for (uint32_t j = count_ - 1 - i; j + 1 < count_; j++)
        at(j) = at(j + 1);
      set_count(count_ - 1);
      HETMP_CHECK_COSTLY(valid());
      return task;
    }
    return nullptr;
  }

  /// The same from the other end, among the `most` oldest. Any thread.
  template <class Allowed> ExplicitTask* take_oldest(Allowed&& allowed, uint32_t most = most_looked_at) {
    if (size() == 0)
      return nullptr;
    FutexLockGuard guard(lock_);
    const uint32_t end = count_ < most ? count_ : most;
    for (uint32_t i = 0; i < end; i++) {
      ExplicitTask* task = at(i);
      if (!allowed(*task))
        continue;
      for (uint32_t j = i; j > 0; j--)
        at(j) = at(j - 1);
      oldest_ = (oldest_ + 1) & (ring_.size() - 1);
      set_count(count_ - 1);
      HETMP_CHECK_COSTLY(valid());
      return task;
    }
    return nullptr;
  }

  /// Half of the tasks or less: the oldest ones, in that order, as far as `allowed` holds without a gap. How many. Any
  /// thread.
  template <class Allowed> uint32_t take_oldest_half(Allowed&& allowed, ExplicitTask* (&taken)[most_taken]) {
    if (size() == 0)
      return 0;
    FutexLockGuard guard(lock_);
    const uint32_t half = (count_ + 1) / 2;
    const uint32_t end = half < most_taken ? half : most_taken;
    uint32_t count = 0;
    while (count < end && allowed(*at(count))) {
      taken[count] = at(count);
      count++;
    }
    oldest_ = (oldest_ + count) & uint32_t(ring_.size() - 1);
    set_count(count_ - count);
    HETMP_CHECK_COSTLY(valid());
    return count;
  }

  /// Without the lock: what it was a moment ago.
  uint32_t size() const { return size_.load(std::memory_order_relaxed); }

  /// How often push() was called. seq_cst: what idle threads wait for.
  uint64_t pushes() const { return pushes_.load(std::memory_order_seq_cst); }

 private:
  static constexpr uint32_t most_looked_at = 16;
  static constexpr uint32_t first_size = 64;

  /// With the lock held: the ring's sizes, and that there is a task in each place of either end that is looked at.
  bool valid() {
    const size_t room = ring_.size();
    if ((room & (room - 1)) != 0 || count_ > room || (oldest_ != 0 && oldest_ >= room) || size() != count_)
      return false;
    for (uint32_t i = 0; i < count_ && i < most_looked_at; i++)
      if (!at(i) || !at(count_ - 1 - i))
        return false;
    return true;
  }

  ExplicitTask*& at(uint32_t index) { return ring_[(oldest_ + index) & (ring_.size() - 1)]; }

  void set_count(uint32_t count) {
    HETMP_CHECK(lock_.held() && count <= ring_.size());
    count_ = count;
    size_.store(count, std::memory_order_relaxed);
  }

  void grow() {
    HETMP_CHECK(lock_.held());
    std::vector<ExplicitTask*> larger(ring_.empty() ? first_size : ring_.size() * 2);
    for (uint32_t i = 0; i < count_; i++)
      larger[i] = at(i);
    ring_.swap(larger);
    oldest_ = 0;
  }

  FutexLock lock_;                  ///< guards all but the atomics, which change under it only
  std::vector<ExplicitTask*> ring_; ///< its size is a power of two
  uint32_t oldest_ = 0;
  uint32_t count_ = 0;
  std::atomic<uint32_t> size_{0};   ///< relaxed: a hint whether the lock is worth taking
  std::atomic<uint64_t> pushes_{0}; ///< written with the lock; seq_cst: what idle threads wait for (bell.hpp)
};

} // namespace hetmp::runtime
