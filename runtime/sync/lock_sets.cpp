#include "runtime/sync/lock_sets.hpp"

namespace hetmp::runtime {

LockSets::Piece& LockSets::make_piece(std::atomic<Piece*>& place) {
  auto* made = new Piece;
  Piece* there = nullptr;
  // Release pairs with the acquire in set_of(); acquire: with the release of whoever was faster.
  if (place.compare_exchange_strong(there, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return *made;
  delete made;
  return *there;
}

LockPlace LockSets::claim(LockSet& set, uint64_t key, lock_word::Word& evicted) {
  HETMP_CHECK(set.guard.held());
  evicted = 0;
  LockWays* last = &set.first;
  for (LockWays* ways = &set.first; ways; last = ways, ways = ways->more.load(std::memory_order_relaxed)) // guarded
    for (unsigned i = 0; i < LockWays::count; ++i) {
      const unsigned way = (hint(key) + i) % LockWays::count;
      // acquire: pairs with the release of whoever gave the word back.
      if (ways->words[way].load(std::memory_order_acquire) == 0)
        return {ways, way};
    }
  for (LockWays* ways = &set.first; ways; ways = ways->more.load(std::memory_order_relaxed)) // guarded
    for (unsigned i = 0; i < LockWays::count; ++i) {
      const LockPlace place{ways, (hint(key) + i) % LockWays::count};
      lock_word::Word word = place.word().load(std::memory_order_relaxed); // compared below
      // acq_rel: what threads of this node did under the lock comes before what another node does under it.
      if (lock_word::rests(word) && place.word().compare_exchange_strong(word, 0, std::memory_order_acq_rel)) {
        evicted = word;
        return place;
      }
    }
  auto* more = new LockWays;
  last->more.store(more, std::memory_order_release); // pairs with the acquire in find()
  return {more, hint(key)};
}

} // namespace hetmp::runtime
