// Where a node keeps what it knows of locks: words (lock_word.hpp) in sets, to which a lock's address leads. In memory
// that is private to the process. Words are found without a lock. A word that is zero is given to a lock by a thread
// that has the set's guard; so a lock has one word at most.
//
// Bounded: a set has eight words. When they are in use, one that rests makes way; only if threads hold or await all of
// them the set grows. So a node owns some two million locks, and those that its threads hold or await, at most.
#pragma once

#include "runtime/sync/lock_word.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

/// Some words and what belongs to them.
struct LockWays {
  static constexpr unsigned count = 8;

  /// Acquired by who takes a lock, released by who lets it go, gives it to a word or takes it away.
  std::atomic<lock_word::Word> words[count] = {};
  FutexWord woken[count] = {};   ///< moved when a sleeper is to look again
  uint16_t sleepers[count] = {}; ///< guarded by the set's guard
  std::atomic<LockWays*> more{nullptr};
};

struct alignas(cache_line) LockSet {
  LockWays first;
  FutexLock guard; ///< taken by threads that may fault: never by the service thread
  /// On the origin: locks of this set that other nodes have or want. By the service thread alone; both sides use
  /// sequential consistency (NodeLockTable::place_at_origin).
  std::atomic<uint32_t> away{0};
};
static_assert(sizeof(LockSet) == 2 * cache_line);

/// A lock's word in its set.
struct LockPlace {
  LockWays* ways = nullptr;
  unsigned way = 0;

  explicit operator bool() const { return ways != nullptr; }
  std::atomic<lock_word::Word>& word() const { return ways->words[way]; }
  FutexWord& woken() const { return ways->woken[way]; }
  uint16_t& sleepers() const { return ways->sleepers[way]; }
};

class LockSets {
 public:
  /// Made when it is first asked for. Any thread.
  LockSet& set_of(uint64_t key) {
    const uint64_t number = number_of(key);
    // acquire: pairs with the exchange in make_piece().
    Piece* piece = pieces_[number / sets_in_piece].load(std::memory_order_acquire);
    return (piece ? *piece : make_piece(pieces_[number / sets_in_piece])).sets[number % sets_in_piece];
  }

  /// Null if the lock has no word. Any thread.
  static LockPlace find(LockSet& set, uint64_t key) {
    for (LockWays* ways = &set.first; ways; ways = ways->more.load(std::memory_order_acquire)) // pairs with claim()
      for (unsigned i = 0; i < LockWays::count; ++i) {
        const unsigned way = (hint(key) + i) % LockWays::count;
        // seq_cst: see LockSet::away. An ordinary load on the machines of interest.
        if (lock_word::is_of(ways->words[way].load(std::memory_order_seq_cst), key))
          return {ways, way};
      }
    return {};
  }

  /// A word that is zero, for a lock that has none. `evicted` becomes the word that had to make way for it, or 0. By a
  /// thread that has the set's guard.
  static LockPlace claim(LockSet& set, uint64_t key, lock_word::Word& evicted);

 private:
  static constexpr uint64_t pieces = 4096, sets_in_piece = 64;
  struct Piece {
    LockSet sets[sets_in_piece];
  };

  /// The locks in 64 bytes have one set, and the sets of a piece are those of 4 KiB of locks: who goes through
  /// neighbouring locks goes through neighbouring sets, and locks that are parts of larger elements share some.
  static uint64_t number_of(uint64_t key) {
    constexpr int piece_shift = 12, set_shift = 6;
    const uint64_t hash = (key >> piece_shift) * 0x9e3779b97f4a7c15u >> (64 - 18);
    return hash ^ ((key >> set_shift) % sets_in_piece);
  }
  static unsigned hint(uint64_t key) { return (key >> 2) % LockWays::count; }
  static Piece& make_piece(std::atomic<Piece*>& place);

  std::atomic<Piece*> pieces_[pieces] = {};
  static_assert(pieces * sets_in_piece == uint64_t{1} << 18);
};

} // namespace hetmp::runtime
