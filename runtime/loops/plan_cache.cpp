#include "runtime/loops/plan_cache.hpp"

#include "base/check.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <map>
#include <tuple>

namespace hetmp::runtime::plan_cache {
namespace {

/// Call site, participants, threads, root, node.
using Key = std::tuple<const void*, uint64_t, uint32_t, uint32_t, uint32_t>;

struct Kept {
  schedulers::Assignment assignment;
  uint64_t trips = 0;
  uint32_t visits = 0;
};

struct Cache {
  FutexLock lock;
  std::map<Key, Kept> kept;
  std::map<Key, schedulers::NodeMeasurement> times;
  std::map<const void*, uint64_t> taken; ///< by call site; on node 0
};

Cache& cache() {
  static auto* const instance = new Cache; // never destroyed: threads may outlive static objects
  return *instance;
}

Key key_of(const TeamDescription& part, const void* call_site) {
  return {call_site, part.participants.bits(), part.threads, part.root, part.node};
}

} // namespace

std::optional<schedulers::Assignment> take(const TeamDescription& part, const void* call_site, uint64_t trips) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  const auto found = all.kept.find(key_of(part, call_site));
  if (found == all.kept.end())
    return {};
  if (found->second.trips != trips) { // the policy, which is asked now, forgets what it has promised as well
    all.kept.erase(found);
    return {};
  }
  const schedulers::Assignment assignment = found->second.assignment;
  if (part.node == 0)
    ++all.taken[call_site];
  HETMP_CHECK(found->second.visits != 0);
  if (--found->second.visits == 0)
    all.kept.erase(found);
  return assignment;
}

void keep(const TeamDescription& part, const void* call_site, uint64_t trips,
          const schedulers::Assignment& assignment) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  HETMP_CHECK(assignment.repeats != 0); // else nothing stands for another visit
  all.kept[key_of(part, call_site)] = {assignment, trips, assignment.repeats};
}

void forget(const TeamDescription& part) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  std::erase_if(all.kept, [&](const auto& kept) { return kept.first == key_of(part, std::get<0>(kept.first)); });
}

void add_times(const TeamDescription& part, const void* call_site, const schedulers::NodeMeasurement& times) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  schedulers::NodeMeasurement& sum = all.times[key_of(part, call_site)];
  sum.iterations += times.iterations;
  sum.thread_us += times.thread_us;
}

schedulers::NodeMeasurement take_times(const TeamDescription& part, const void* call_site) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  schedulers::NodeMeasurement sum;
  if (const auto found = all.times.find(key_of(part, call_site)); found != all.times.end())
    std::swap(sum, found->second);
  sum.threads = part.local_threads;
  return sum;
}

uint64_t visits_taken(const void* call_site) {
  Cache& all = cache();
  FutexLockGuard guard(all.lock);
  const auto found = all.taken.find(call_site);
  return found == all.taken.end() ? 0 : found->second;
}

} // namespace hetmp::runtime::plan_cache
