// Chunks of a dynamic loop that are dealt to the threads in advance. Each thread takes its own, in order, from a word
// that others seldom touch; one that has none left takes the later half of another's. So threads do not meet at one
// counter for every chunk. A thread's chunks come out of order as a whole: only for loops that need not be monotonic
// (OpenMP 5.1, section 2.11.4).
#pragma once

#include "runtime/wait/wait.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

/// Chunks [begin, end).
struct ChunkNumbers {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin >= end; }
};

/// What one thread, the owner, still has to execute of one loop. Everybody can compute what it is dealt to begin with,
/// so a thread that comes late, or not at all, keeps nobody from its chunks.
///
/// All accesses are relaxed: a word says which chunks are left and nothing else. Each chunk is given out once, because
/// all that give one out change the whole word by one atomic operation, and a word with chunks never comes again: its
/// first chunk is given out only for good, by take() or by a thief that executes it at once.
class alignas(cache_line) ChunkShare {
 public:
  static constexpr uint32_t most_chunks = UINT32_MAX - 1;
  static constexpr uint32_t none = UINT32_MAX;

  /// Before the loop begins.
  void reset() { word_.store(undealt, std::memory_order_relaxed); }

  /// The owner's next chunk, or `none`. `dealt()`: what it has to begin with.
  template <class Dealt> uint32_t take(Dealt&& dealt) {
    uint64_t word = word_.load(std::memory_order_relaxed);
    if (word == undealt && word_.compare_exchange_strong(word, pack(dealt()), std::memory_order_relaxed))
      word = word_.load(std::memory_order_relaxed);
    if (unpack(word).empty())
      return none;
    const ChunkNumbers left = unpack(word_.fetch_add(1, std::memory_order_relaxed)); // a thief may have been quicker
    HETMP_CHECK(left.begin <= left.end);                                             // see unpack()
    return left.empty() ? none : left.begin;
  }

  /// The owner's next chunks: of `left` ones `wanted(left)`, which is 1 to `left`. Empty: it has none.
  template <class Wanted, class Dealt> ChunkNumbers take_some(Wanted&& wanted, Dealt&& dealt) {
    uint64_t word = word_.load(std::memory_order_relaxed);
    while (true) {
      const ChunkNumbers left = word == undealt ? dealt() : unpack(word);
      if (left.empty())
        return {};
      const uint32_t taken = wanted(left.end - left.begin);
      HETMP_CHECK(taken != 0 && taken <= left.end - left.begin);
      if (word_.compare_exchange_weak(word, pack({left.begin + taken, left.end}), std::memory_order_relaxed))
        return {left.begin, left.begin + taken};
    }
  }

  /// By the owner, which has none left.
  void put(ChunkNumbers chunks) {
    HETMP_CHECK(chunks.begin <= chunks.end && pack(chunks) != undealt);
    HETMP_CHECK(unpack(word_.load(std::memory_order_relaxed)).empty());
    word_.store(pack(chunks), std::memory_order_relaxed);
  }

  /// By another thread: the later half, rounded up, of what the owner has. The thief executes the first of them at
  /// once.
  template <class Dealt> ChunkNumbers steal(Dealt&& dealt) {
    uint64_t word = word_.load(std::memory_order_relaxed);
    while (true) {
      const ChunkNumbers left = word == undealt ? dealt() : unpack(word);
      if (left.empty())
        return {};
      const uint32_t middle = left.begin + (left.end - left.begin) / 2;
      HETMP_CHECK(left.begin <= middle && middle < left.end && left.end <= most_chunks);
      if (word_.compare_exchange_weak(word, pack({left.begin, middle}), std::memory_order_relaxed))
        return {middle, left.end};
    }
  }

 private:
  static constexpr uint64_t undealt = UINT64_MAX; ///< no share ends there: see most_chunks

  static uint64_t pack(ChunkNumbers chunks) { return uint64_t(chunks.end) << 32 | chunks.begin; }
  /// The lower half may have gone one beyond the upper one, no further: the owner adds to it only when it has seen
  /// chunks.
  static ChunkNumbers unpack(uint64_t word) { return {uint32_t(word), uint32_t(word >> 32)}; }

  std::atomic<uint64_t> word_{undealt};
};

} // namespace hetmp::runtime
