#include "runtime/sync/node_lock.hpp"

#include "runtime/global/node_locks.hpp"

#include <sched.h>

namespace hetmp::runtime {

using namespace lock_word;

namespace {

/// Changes what a word says if it still says `before`; then what comes after is ordered behind what was there before.
bool change(LockPlace place, Word& before, Word after) {
  // acq_rel: pairs with itself and with the orders of lock() and unlock(): who takes a lock sees what its last holder
  // did, whichever of the node's threads the lock went through.
  return place.word().compare_exchange_strong(before, after, std::memory_order_acq_rel, std::memory_order_acquire);
}

} // namespace

void NodeLockTable::wake_one(LockPlace place) {
  place.woken().fetch_add(1, std::memory_order_release); // pairs with the acquire in sleep_until_taken()
  futex_wake(place.woken(), 1);
}

void NodeLockTable::tell(Tell what, uint64_t key) {
  if (what == Tell::GiveBack || what == Tell::GiveBackAndAsk)
    others_->give_back_lock(key, what == Tell::GiveBackAndAsk);
  else if (what == Tell::Ask)
    others_->ask_lock(key);
}

void NodeLockTable::lock_slowly(LockSet& set, uint64_t key) {
  if (spinning_pays() && take_spinning(set, key))
    return;
  LockPlace place;
  const Entered entered = enter(set, key, false, place);
  if (entered == Entered::Taken)
    return;
  if (entered == Entered::WaitsAndAsks)
    others_->ask_lock(key);
  sleep_until_taken(set, place);
}

/// For a lock that is here; a critical section is short or not worth spinning for. The longer it takes, the seldomer
/// this looks: each look takes the line away from the holder.
bool NodeLockTable::take_spinning(LockSet& set, uint64_t key) {
  constexpr int looks = 200, most_pauses = 16;
  const LockPlace place = LockSets::find(set, key);
  for (int look = 0, pauses = 1; place && look < looks; look += pauses) {
    Word word = place.word().load(std::memory_order_relaxed); // relaxed: only a look, change() compares
    if (!is_of(word, key) || !(word & Here))
      return false;
    if (can_be_taken(word) && change(place, word, taken(word)))
      return true;
    for (int i = 0; i < pauses; i++)
      cpu_relax();
    pauses = pauses < most_pauses ? pauses * 2 : pauses;
  }
  return false;
}

/// The thread is one of the word's sleepers, so the word stays the lock's.
void NodeLockTable::sleep_until_taken(LockSet& set, LockPlace place) {
  while (true) {
    // acquire: pairs with wake_one(). What moves it from here on is not slept through.
    const uint32_t seen = place.woken().load(std::memory_order_acquire);
    Word word = place.word().load(std::memory_order_acquire); // pairs with change()
    HETMP_CHECK(word & Awaited);                              // L4
    if (can_be_taken(word)) {
      FutexLockGuard guard(set.guard);
      if (!change(place, word, taken_by_sleeper(word, place.sleepers() == 1)))
        continue;
      place.sleepers()--;
      return;
    }
    if ((word & Woken) && !change(place, word, word & ~Woken))
      continue;
    const auto moved = [&] { return place.woken().load(std::memory_order_acquire) != seen; }; // pairs with wake_one()
    const bool is_away = !(word & Here);
    if (is_away)
      others_->waits_outside(true);
    if (!is_away || !spin_until(moved))
      futex_wait(place.woken(), seen);
    if (is_away)
      others_->waits_outside(false);
  }
}

bool NodeLockTable::try_lock(uint64_t key) {
  LockSet& set = sets_.set_of(key);
  if (take_resting(set, key))
    return true;
  LockPlace place;
  Entered entered;
  while ((entered = enter(set, key, true, place)) == Entered::Busy)
    sched_yield(); // another thread asks whether it is free
  if (entered != Entered::Tries)
    return entered == Entered::Taken;
  if (others_->try_lock(key))
    return true;
  Word word = place.word().load(std::memory_order_acquire); // pairs with change()
  HETMP_CHECK((word & Tried) && !(word & Here));            // L5
  while (!change(place, word, refused(word).to)) {
  }
  tell(refused(word).tell, key);
  return false;
}

/// Takes the lock, or queues (L4), or says why not.
NodeLockTable::Entered NodeLockTable::enter(LockSet& set, uint64_t key, bool tries, LockPlace& place) {
  Word evicted = 0;
  Entered entered = Entered::Busy;
  {
    FutexLockGuard guard(set.guard);
    while (true) {
      place = LockSets::find(set, key);
      if (!place) {
        place = LockSets::claim(set, key, evicted);
        entered = place_new(set, key, tries, place);
        break;
      }
      Word word = place.word().load(std::memory_order_acquire); // pairs with change()
      while (is_of(word, key) && (entered = join(place, word, tries)) == Entered::Busy && !tries)
        word = place.word().load(std::memory_order_acquire); // pairs with change()
      if (is_of(word, key))
        break; // else it has just been given back
    }
  }
  if (evicted != 0 && !origin_) // the origin owns what it knows nothing of
    others_->give_back_lock(key_of(evicted), false);
  return entered;
}

/// A lock that has a word. Busy: again. By a thread that has the set's guard.
NodeLockTable::Entered NodeLockTable::join(LockPlace place, Word word, bool tries) {
  if (can_be_taken(word))
    return change(place, word, taken(word)) ? Entered::Taken : Entered::Busy;
  if (tries)
    return word & Tried ? Entered::Busy : Entered::Refused;
  if (!change(place, word, word | Awaited))
    return Entered::Busy;
  place.sleepers()++;
  return Entered::Waits;
}

/// A lock that has none yet. By a thread that has the set's guard.
NodeLockTable::Entered NodeLockTable::place_new(LockSet& set, uint64_t key, bool tries, LockPlace place) {
  const Word unknown = named(key) | (tries ? Tried : Asked | Awaited);
  if (origin_ && place_at_origin(set, key, place, unknown))
    return Entered::Taken;
  if (!origin_)
    place.word().store(unknown, std::memory_order_release); // pairs with the acquire of change()
  if (tries)
    return Entered::Tries;
  place.sleepers()++;
  return Entered::WaitsAndAsks;
}

/// Takes a lock that is the origin's if no lock of the set is away; the word says `otherwise` if one may be.
///
/// The thread writes the word, then looks at `away`; the service thread moves `away`, then looks for the word. All are
/// sequentially consistent, so one of them sees the other (Dekker): the service thread finds the lock held, or this
/// thread sees that a lock of the set is away. Then it undoes what it did, unless the service thread has believed it.
bool NodeLockTable::place_at_origin(LockSet& set, uint64_t key, LockPlace place, Word otherwise) {
  Word word = named(key) | Here | Held;
  if (set.away.load(std::memory_order_seq_cst) != 0) {        // see above; a first look, which saves the rest
    place.word().store(otherwise, std::memory_order_release); // pairs with the acquire of change()
    return false;
  }
  place.word().store(word, std::memory_order_seq_cst); // see above
  if (set.away.load(std::memory_order_seq_cst) == 0)   // see above
    return true;
  return !change(place, word, otherwise); // nobody but the service thread changes it now: it has recalled the lock
}

/// What is to be told to the coordinator; nothing at all if no thread of this node holds the lock.
std::optional<Tell> NodeLockTable::release(LockPlace place, uint64_t key) {
  if (!place)
    return {};
  Word word = place.word().load(std::memory_order_acquire); // pairs with change()
  while (is_of(word, key) && (word & Held)) {
    HETMP_CHECK(word & Here); // L2
    const Step step = lock_word::released(word);
    if (!change(place, word, step.to))
      continue;
    if (step.wake)
      wake_one(place);
    return step.tell;
  }
  return {};
}

bool NodeLockTable::unlock_slowly(LockPlace place, uint64_t key) {
  const auto what = release(place, key);
  if (what)
    tell(*what, key);
  return what.has_value();
}

void NodeLockTable::unlock_elsewhere(uint64_t key) {
  if (others_)
    others_->release_lock(key);
}

std::optional<Tell> NodeLockTable::released(uint64_t key) {
  return release(LockSets::find(sets_.set_of(key), key), key);
}

bool NodeLockTable::granted(uint64_t key, bool recalled) {
  const LockPlace place = LockSets::find(sets_.set_of(key), key);
  Word word = place ? place.word().load(std::memory_order_acquire) : 0; // pairs with change()
  Step step;
  do {
    if (!(word & Asked))
      return false;
    step = lock_word::granted(word, recalled);
  } while (!change(place, word, step.to));
  if (step.wake)
    wake_one(place);
  return true;
}

bool NodeLockTable::granted_to_trier(uint64_t key, bool recalled) {
  const LockPlace place = LockSets::find(sets_.set_of(key), key);
  Word word = place ? place.word().load(std::memory_order_acquire) : 0; // pairs with change()
  do
    if (!(word & Tried))
      return false;
  while (!change(place, word, lock_word::granted_to_trier(word, recalled)));
  return true;
}

Tell NodeLockTable::recalled(uint64_t key, bool trial, bool leaves) {
  LockSet& set = sets_.set_of(key);
  if (origin_ && leaves) {
    set.away.fetch_add(1, std::memory_order_seq_cst); // see place_at_origin()
    away_.fetch_add(
        1, std::memory_order_relaxed); // relaxed: the region's end, of which this thread hears later, publishes it
  }
  const LockPlace place = LockSets::find(set, key);
  Word word = place ? place.word().load(std::memory_order_acquire) : 0; // pairs with change()
  while (true) {
    if (!is_of(word, key)) // another thread has let it make way
      word = 0;
    const Step step = lock_word::recalled(word, trial, origin_);
    if (word == step.to || change(place, word, step.to))
      return step.tell;
  }
}

void NodeLockTable::came_home(uint64_t key) {
  [[maybe_unused]] const uint32_t away =
      sets_.set_of(key).away.fetch_sub(1, std::memory_order_seq_cst); // see place_at_origin()
  HETMP_CHECK(origin_ && away != 0);
  away_.fetch_sub(1, std::memory_order_release); // pairs with some_are_away()
}

} // namespace hetmp::runtime
