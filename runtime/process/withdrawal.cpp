#include "runtime/process/withdrawal.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {
namespace {

constexpr uint32_t first_audit = 64; ///< teams without all nodes before there is one with them
constexpr uint32_t longest_interval = 1 << 20;

/// What is known of a region. Written by publish_needed_nodes(), and the count by threads that start teams. Every value
/// is a hint of its own: a stale one costs a team on more nodes than needed, so relaxed order suffices throughout but
/// for `microtask`, which publishes the entry.
struct Entry {
  std::atomic<const void*> microtask{nullptr}; ///< acquired and released by find()
  std::atomic<NodeSet> needed{NodeSet::all()}; ///< a hint
  std::atomic<uint32_t> teams{0};              ///< a hint: started since the last audit
  std::atomic<uint32_t> interval{first_audit}; ///< a hint: how many start before the next one
};

/// Open addressing without removal: readers need no lock, which the origin's service thread, one of the writers, could
/// not take. Regions that find no place always run on all nodes.
constexpr uint32_t slots = 1024;
constexpr uint32_t longest_search = 16;
Entry table[slots];
/// relaxed: set at the start, or in a region, whose end orders it before the next team of the same primary. So it is on
/// node 0 when another node's part says it: before that part counts as ended.
std::atomic<bool> fixed{false};
std::atomic<bool> bound{false}; ///< relaxed: likewise

uint32_t home_of(const void* microtask) {
  return uint32_t(reinterpret_cast<uintptr_t>(microtask) * 0x9e3779b97f4a7c15u >> 32) % slots;
}

Entry* find(const void* microtask, bool make) {
  for (uint32_t i = 0; i < longest_search; i++) {
    Entry& entry = table[(home_of(microtask) + i) % slots];
    const void* key = entry.microtask.load(std::memory_order_acquire);
    if (key == microtask)
      return &entry;
    if (key)
      continue;
    if (!make)
      return nullptr;
    entry.microtask.store(microtask, std::memory_order_release); // one writer
    return &entry;
  }
  return nullptr;
}

} // namespace

NodeSet nodes_for_region(const void* microtask) {
  if (threads_stay_where_they_are())
    return NodeSet::all();
  Entry* entry = find(microtask, false);
  if (!entry)
    return NodeSet::all();
  const NodeSet needed = entry->needed.load(std::memory_order_relaxed);
  if (needed == NodeSet::all())
    return needed;
  const uint32_t interval = entry->interval.load(std::memory_order_relaxed);
  if (entry->teams.fetch_add(1, std::memory_order_relaxed) + 1 < interval)
    return needed;
  entry->teams.store(0, std::memory_order_relaxed);
  if (interval < longest_interval)
    entry->interval.store(interval * 2, std::memory_order_relaxed);
  return NodeSet::all();
}

void publish_needed_nodes(const void* microtask, NodeSet nodes) {
  Entry* entry = find(microtask, nodes != NodeSet::all());
  if (!entry || entry->needed.load(std::memory_order_relaxed) == nodes)
    return;
  entry->teams.store(0, std::memory_order_relaxed);
  entry->interval.store(first_audit, std::memory_order_relaxed);
  entry->needed.store(nodes, std::memory_order_relaxed);
}

void keep_threads_where_they_are() { fixed.store(true, std::memory_order_relaxed); }

bool threads_stay_where_they_are() { return fixed.load(std::memory_order_relaxed); }

// relaxed: whoever loads such code tells the threads that call it.
void bind_threads_to_origin() { bound.store(true, std::memory_order_relaxed); }

bool threads_are_bound() { return bound.load(std::memory_order_relaxed) || threads_stay_where_they_are(); }

} // namespace hetmp::runtime
