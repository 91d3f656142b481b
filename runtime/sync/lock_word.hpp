// What a node knows of one lock, in a word, and what becomes of it. Pure: sync/node_lock.cpp carries it out, and a test
// explores it together with the coordinator's part (global/lock_owners.hpp).
//
// A node *owns* a lock from the moment it is granted until it gives the lock back. Only threads of the owner hold it,
// and neither taking nor releasing a lock that the node owns needs a message. When another node asks, the coordinator
// recalls the lock.
//
//   L1  At most one node owns a lock; a lock without an owner is on its way in one message.
//   L2  A lock is held only where it is owned, by one thread.
//   L3  A recalled lock is given back by whoever finds it free with nobody awaiting it: the service thread, when the
//       recall comes, or the thread that releases it. While threads of the node await it, it is handed to them
//       most_local_handovers times at most.
//   L4  A word that threads of the node await stays where it is in the table: they sleep on what lies beside it.
//   L5  A node has at most one question about a lock under way: the word says Asked or Tried.
//
// A lock that no other node has asked for yet is the origin's, without anybody having noted that.
#pragma once

#include <cstdint>

namespace hetmp::runtime::lock_word {

/// The lock's key above, flags below. Zero: nothing is known.
using Word = uint64_t;

constexpr Word Here = 1;      ///< the node owns the lock
constexpr Word Held = 2;      ///< by a thread of the node
constexpr Word Awaited = 4;   ///< threads of the node sleep for it, or are about to
constexpr Word Recalled = 8;  ///< another node wants it
constexpr Word Asked = 16;    ///< not Here; the coordinator has been asked, and will grant it. Somebody awaits it
constexpr Word Tried = 32;    ///< not Here; a thread asks whether it is free, and waits for the answer
constexpr Word Woken = 64;    ///< a sleeper has been woken and has not looked yet: no need to wake another
constexpr Word OneTurn = 128; ///< handed over within the node since it was recalled, a count
constexpr Word turns = OneTurn * 31;
constexpr int key_shift = 16;
constexpr Word most_local_handovers = 16; ///< then other nodes get their chance

constexpr Word named(uint64_t key) { return key << key_shift; }
constexpr uint64_t key_of(Word word) { return word >> key_shift; }
constexpr bool is_of(Word word, uint64_t key) { return key_of(word ^ named(key)) == 0; }
constexpr bool can_be_taken(Word word) { return (word & (Here | Held)) == Here; }
/// Owned, and of no interest to anybody now.
constexpr bool rests(Word word) { return word == (named(key_of(word)) | Here); }

enum class Tell { Nothing, GiveBack, GiveBackAndAsk, Keep, Ask };

/// What follows from an event: what the word becomes, whether a sleeper is to be woken, what the coordinator is told.
struct Step {
  Word to;
  Tell tell = Tell::Nothing;
  bool wake = false;
};

constexpr Step woken(Word to) { return {to | Woken, Tell::Nothing, (to & Woken) == 0}; }

/// A thread that has not slept takes the lock, which can be taken.
constexpr Word taken(Word word) { return word | Held; }

/// A thread that has slept does; `last` if no other sleeps for the lock.
constexpr Word taken_by_sleeper(Word word, bool last) { return (word | Held) & ~(Woken | (last ? Awaited : 0)); }

/// The holder releases it.
constexpr Step released(Word word, Word most_handovers = most_local_handovers) {
  const bool awaited = word & Awaited;
  if ((word & Recalled) && (!awaited || (word & turns) == most_handovers * OneTurn)) {
    if (awaited)
      return {(word & ~(Here | Held | Recalled | turns)) | Asked, Tell::GiveBackAndAsk};
    return {0, Tell::GiveBack};
  }
  const Word free = (word & ~Held) + (word & Recalled ? OneTurn : 0);
  return awaited ? woken(free) : Step{free};
}

/// The coordinator grants what was asked for. `recalled`: others wait behind.
constexpr Step granted(Word word, bool recalled) { return woken((word & ~Asked) | Here | (recalled ? Recalled : 0)); }

/// The coordinator lets the thread have it that has tried.
constexpr Word granted_to_trier(Word word, bool recalled) {
  return (word & ~Tried) | Here | Held | (recalled ? Recalled : 0);
}

/// The thread that has tried hears that somebody else has the lock.
constexpr Step refused(Word word) { return word & Awaited ? Step{(word & ~Tried) | Asked, Tell::Ask} : Step{0}; }

/// The coordinator wants it back; for a trial only if it is free. What is not here has been given back already, and the
/// coordinator will hear of it. Only the origin may own what it knows nothing of.
constexpr Step recalled(Word word, bool trial, bool origin) {
  if (!(word & Here))
    return {word, origin ? Tell::GiveBack : Tell::Nothing};
  if (!(word & (Held | Awaited)))
    return {0, Tell::GiveBack};
  return trial ? Step{word, Tell::Keep} : Step{word | Recalled};
}

} // namespace hetmp::runtime::lock_word
