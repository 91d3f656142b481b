// What passes between the threads of the program and the service thread of their node, and why that is safe.
//
// The service thread brings the pages for which the others wait. So it must never wait for one of them: whoever holds a
// lock may wait for a page. And it must touch no page that it may have to bring. From this follows what the two sides
// may have in common, and there is a type for each kind:
//
//   Hint       a word that either side writes and the other looks at; right whichever value is seen, and whenever
//   Tally      a number that the service thread counts up and anybody reads
//   Published  what one side has written and the other reads once it is told
//
// None has a lock, so nobody waits. None holds a pointer, so nothing leads out of the private memory that the objects
// themselves lie in: they are members of what this library allocates. Where the service thread needs what a lock of the
// others guards (the blocks of the heap), it tries that lock and comes again: Heap::try_free(), ServiceClient::retry().
#pragma once

#include "base/check.hpp"

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hetmp::dsm {

/// Any thread writes it, any thread looks. Relaxed throughout: nothing else is learned from its value.
template <class T> class Hint {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && std::atomic<T>::is_always_lock_free);

 public:
  constexpr Hint() = default;
  constexpr Hint(T value) : value_(value) {}

  T get() const { return value_.load(std::memory_order_relaxed); }
  void set(T value) { value_.store(value, std::memory_order_relaxed); }
  /// False if it is not `before` (any more).
  bool change(T before, T after) {
    return value_.compare_exchange_strong(before, after, std::memory_order_relaxed, std::memory_order_relaxed);
  }

 private:
  std::atomic<T> value_{};
};

/// Only the service thread adds. Relaxed: each number is a statistic of its own.
class Tally {
 public:
  void add(uint64_t count) { count_.store(get() + count, std::memory_order_relaxed); } // it alone writes
  uint64_t get() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> count_{0};
};

/// Belongs to the writer until publish(), which comes once; from then on nobody changes it.
template <class T> class Published {
 public:
  /// Of the writer, before publish().
  T& draft() {
    HETMP_CHECK(!is_published());
    return value_;
  }
  void publish() {
    HETMP_CHECK(!is_published());
    published_.store(true, std::memory_order_release); // pairs with the acquire in read()
  }
  /// The writer's own question.
  bool is_published() const { return published_.load(std::memory_order_relaxed); }

  /// Any thread: null until it is published.
  const T* read() const { return published_.load(std::memory_order_acquire) ? &value_ : nullptr; } // with publish()

 private:
  T value_{};
  std::atomic<bool> published_{false};
};

} // namespace hetmp::dsm
