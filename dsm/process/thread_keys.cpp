#include "dsm/process/thread_keys.hpp"

#include "base/check.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"

#include <cerrno>
#include <sched.h>

namespace hetmp::dsm {

int ThreadKeys::create(pthread_key_t* key, void (*destroy)(void*)) {
  constexpr int most_allotted = 16; // each leaves a key behind that nobody uses
  const auto address = reinterpret_cast<uintptr_t>(destroy);
  for (int tries = 0; tries < most_allotted; ++tries) {
    pthread_key_t allotted = 0;
    if (const int error = ask_for(destroy, &allotted))
      return error;
    *key = allotted;
    if (make_everywhere({.kind = Change::Kind::CreateKey, .begin = address, .offset = int64_t(allotted)}))
      return 0;
  }
  process_.tell_bound_to_origin(); // not all nodes have the last one
  return 0;
}

int ThreadKeys::ask_for(void (*destroy)(void*), pthread_key_t* key) {
  if (process_.node() == origin)
    return allot(destroy, key);
  uint64_t allotted = 0;
  const Change change{.kind = Change::Kind::AllotKey, .begin = reinterpret_cast<uintptr_t>(destroy)};
  const int error = change_at(change, origin, &allotted);
  *key = pthread_key_t(allotted);
  return error;
}

/// False: what a private object of some node has made is in the way.
bool ThreadKeys::make_everywhere(const Change& change) {
  for (;;) {
    int error = create_here(change);
    if (error == 0)
      error = change_elsewhere(change);
    if (error != EBUSY)
      return error == 0;
    sched_yield(); // whoever works on that table works on, if it only has to wait for a page
  }
}

int ThreadKeys::allot(void (*destroy)(void*), pthread_key_t* key) {
  HETMP_CHECK(process_.node() == origin);
  if (const int error = __pthread_key_create(key, destroy))
    return error;
  HETMP_CHECK(*key < PTHREAD_KEYS_MAX && !of_all_nodes_[*key]);
  of_all_nodes_[*key] = true;
  return 0;
}

int ThreadKeys::create_here(const Change& change) {
  if (process_.node() == origin)
    return 0; // has allotted it
  if (change.offset < 0 || change.offset >= PTHREAD_KEYS_MAX)
    return EINVAL;
  // acquire: pairs with the release below, what others have made is marked
  if (table_in_use_.exchange(true, std::memory_order_acquire))
    return EBUSY;
  const int error = put_into_table(pthread_key_t(change.offset), reinterpret_cast<void (*)(void*)>(change.begin));
  table_in_use_.store(false, std::memory_order_release); // pairs with the acquire above
  return error;
}

/// The C library gives the first index that is free. Those below it are taken, too: they will be allotted, or have been
/// and are on their way.
int ThreadKeys::put_into_table(pthread_key_t wanted, void (*destroy)(void*)) {
  if (of_all_nodes_[wanted].exchange(false))
    pthread_key_delete(wanted); // to be made anew, with what destroys its values
  for (pthread_key_t made = PTHREAD_KEYS_MAX; made != wanted;) {
    if (const int error = __pthread_key_create(&made, destroy))
      return error;
    HETMP_CHECK(made < PTHREAD_KEYS_MAX);
    if (made > wanted) {
      pthread_key_delete(made);
      return EEXIST; // a private object's
    }
    of_all_nodes_[made] = true;
  }
  return 0;
}

int ThreadKeys::remove(pthread_key_t key) {
  const Change change{.kind = Change::Kind::RemoveKey, .offset = int64_t(key)};
  const bool at_origin = process_.node() == origin;
  if (!at_origin)
    remove_here(change);
  change_elsewhere(change); // the origin keeps it
  if (at_origin)
    return remove_here({.kind = Change::Kind::FreeKey, .offset = change.offset});
  return change_at({.kind = Change::Kind::FreeKey, .offset = change.offset}, origin, nullptr);
}

int ThreadKeys::remove_here(const Change& change) {
  if (change.offset < 0 || change.offset >= PTHREAD_KEYS_MAX)
    return EINVAL;
  const auto key = pthread_key_t(change.offset);
  const bool in_its_turn = process_.node() != origin || change.kind == Change::Kind::FreeKey;
  return in_its_turn && of_all_nodes_[key].exchange(false) ? pthread_key_delete(key) : 0;
}

bool ThreadKeys::may_be_first() const { return !bound_.load(std::memory_order_relaxed) && !process_.is_mains_thread(); }

void ThreadKeys::has_value() {
  HETMP_CHECK(!process_.is_mains_thread());
  if (process_.node() == origin)
    process_.tell_bound_to_origin();
  else
    change_at({.kind = Change::Kind::BindThreads}, origin, nullptr);
  bound_.store(true, std::memory_order_relaxed);
}

} // namespace hetmp::dsm
