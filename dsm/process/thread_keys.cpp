#include "dsm/process/thread_keys.hpp"

#include "base/check.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/process/node_process.hpp"

#include <cerrno>

namespace hetmp::dsm {

/// Two nodes may make the same one at the same time, and what a private object has made may be in the way: then the
/// next one.
int ThreadKeys::create(pthread_key_t* key, void (*destroy)(void*)) {
  constexpr int most_tries = 16; // each leaves a key behind that nobody uses
  for (int tries = 0; tries < most_tries; ++tries) {
    pthread_key_t made = 0;
    if (const int error = __pthread_key_create(&made, destroy))
      return error;
    HETMP_CHECK(made < PTHREAD_KEYS_MAX);
    *key = made;
    const Change change{
        .kind = Change::Kind::CreateKey, .begin = reinterpret_cast<uintptr_t>(destroy), .offset = int64_t(made)};
    if (change_elsewhere(change) == 0)
      return 0;
  }
  process_.tell_bound_to_origin(); // only this node has the last one
  return 0;
}

/// Where it is free: the C library gives the first index that is. Those below it stay taken.
int ThreadKeys::create_here(const Change& change) {
  if (change.offset < 0 || change.offset >= PTHREAD_KEYS_MAX)
    return EINVAL;
  const auto wanted = pthread_key_t(change.offset);
  if (made_for_others_[wanted]) // the node that had it made has deleted its own since
    pthread_key_delete(wanted);
  made_for_others_[wanted] = false;
  const auto destroy = reinterpret_cast<void (*)(void*)>(change.begin);
  for (pthread_key_t made = PTHREAD_KEYS_MAX; made != wanted;) {
    if (const int error = __pthread_key_create(&made, destroy))
      return error;
    HETMP_CHECK(made < PTHREAD_KEYS_MAX);
    if (made > wanted) {
      pthread_key_delete(made);
      return EBUSY;
    }
  }
  made_for_others_[wanted] = true;
  return 0;
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
