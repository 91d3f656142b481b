#include "runtime/sync/node_lock.hpp"

#include "base/check.hpp"
#include "runtime/global/global_level_instance.hpp"
#include "runtime/global/node_locks.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {
namespace {

constexpr uint32_t most_local_handovers = 16; // then other nodes get their chance
constexpr size_t buckets_in_table = 64;

/// Null on one node, and in a forked child: it is nobody's node.
NodeLocks* other_nodes() {
  GlobalLevel* global = layout().nodes() > 1 ? global_level() : nullptr;
  return global ? &global->locks : nullptr;
}

} // namespace

/// Exists while somebody holds the lock or waits for it. All fields but `turns` are guarded by the bucket; `has_global`
/// and `handovers` belong to the holder.
struct NodeLockTable::Entry {
  uint32_t next_ticket = 0;
  uint32_t serving = 0;                 ///< tickets before this one are done
  EventCount turns;                     ///< posted when `serving` moves
  std::atomic<uint32_t> now_serving{0}; ///< copy of `serving` for waiters, who do not hold the bucket
  bool has_global = false;
  uint32_t handovers = 0;

  /// With the bucket's lock held: tickets that are served have been given out, and waiters see whose turn it is.
  bool valid() const {
    // relaxed: guarded by the bucket
    return int32_t(next_ticket - serving) >= 0 && now_serving.load(std::memory_order_relaxed) == serving;
  }
};

struct alignas(cache_line) NodeLockTable::Bucket {
  FutexLock lock;
  std::unordered_map<uint64_t, Entry*> entries;
  std::vector<Entry*> unused;

  Entry& find_or_make(uint64_t key) {
    HETMP_CHECK(lock.held());
    Entry*& entry = entries[key];
    if (!entry) {
      if (unused.empty()) {
        entry = new Entry;
      } else {
        entry = unused.back();
        unused.pop_back();
      }
      HETMP_CHECK(entry->valid() && entry->next_ticket == entry->serving); // nobody's
    }
    return *entry;
  }

  void drop(uint64_t key, Entry& entry) {
    HETMP_CHECK(lock.held() && !entry.has_global && entry.next_ticket == entry.serving);
    HETMP_CHECK_COSTLY(entries.at(key) == &entry);
    entries.erase(key);
    unused.push_back(&entry);
  }
};

NodeLockTable::Bucket& NodeLockTable::bucket_of(uint64_t key) {
  static Bucket* const buckets = new Bucket[buckets_in_table]; // never destroyed: threads may outlive static objects
  return buckets[(key * 0x9e3779b97f4a7c15u) >> 58];
}

void NodeLockTable::lock(uint64_t key) {
  Bucket& bucket = bucket_of(key);
  Entry* entry;
  uint32_t ticket;
  {
    FutexLockGuard guard(bucket.lock);
    entry = &bucket.find_or_make(key);
    ticket = entry->next_ticket++;
    HETMP_CHECK_COSTLY(entry->valid());
  }
  while (true) {
    const uint32_t seen = entry->turns.epoch();
    // acquire: pairs with the release in unlock(), the critical section before is visible.
    if (entry->now_serving.load(std::memory_order_acquire) == ticket)
      break;
    entry->turns.wait_while(seen);
  }
  HETMP_CHECK(entry->serving == ticket); // and stays so until unlock()
  if (NodeLocks* global = other_nodes(); global && !entry->has_global) {
    global->lock(key);
    entry->has_global = true;
    entry->handovers = 0;
  }
}

bool NodeLockTable::try_lock(uint64_t key) {
  Bucket& bucket = bucket_of(key);
  Entry* entry;
  {
    FutexLockGuard guard(bucket.lock);
    entry = &bucket.find_or_make(key);
    if (entry->next_ticket != entry->serving)
      return false; // held or awaited on this node
    entry->next_ticket++;
  }
  NodeLocks* global = other_nodes();
  if (!global)
    return true;
  entry->has_global = global->try_lock(key);
  entry->handovers = 0;
  if (entry->has_global)
    return true;
  unlock(key);
  return false;
}

void NodeLockTable::unlock(uint64_t key) {
  Bucket& bucket = bucket_of(key);
  Entry* entry;
  bool awaited;
  {
    FutexLockGuard guard(bucket.lock);
    entry = bucket.entries.find(key)->second;
    HETMP_CHECK_COSTLY(entry->valid());
    awaited = entry->next_ticket != entry->serving + 1;
  }
  // Before the next thread of this node may be let in: it would ask for the global lock again.
  if (entry->has_global && (!awaited || ++entry->handovers > most_local_handovers)) {
    entry->has_global = false;
    if (NodeLocks* global = other_nodes())
      global->unlock(key);
  }
  FutexLockGuard guard(bucket.lock);
  HETMP_CHECK(entry->next_ticket != entry->serving);
  entry->serving++;
  entry->now_serving.store(entry->serving, std::memory_order_release); // pairs with the acquire in lock()
  if (entry->next_ticket == entry->serving)
    bucket.drop(key, *entry); // keeps its counters; the next user goes on from them
  else
    entry->turns.post();
}

} // namespace hetmp::runtime
