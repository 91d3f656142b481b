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
  std::atomic<const void*> microtask{nullptr};          ///< acquired and released by find()
  std::atomic<NodeSet> needed{NodeSet::all()};          ///< a hint
  std::atomic<PlacedLoops> loops{PlacedLoops::Unknown}; ///< a hint
  std::atomic<uint32_t> teams{0};                       ///< a hint: started since the last audit
  std::atomic<uint32_t> interval{first_audit};          ///< a hint: how many start before the next one
};

/// Which nodes the program's regions need, and whether their threads may go there at all.
class Withdrawals {
 public:
  /// Null: there is none, or with `make` no place for one.
  Entry* find(const void* microtask, bool make);

  void expect(LoopKinds kinds) {
    runtime_loops_.store(kinds.runtime, std::memory_order_relaxed);
    compiled_loops_.store(kinds.compiled, std::memory_order_relaxed);
  }
  void expect_runtime_loops() { runtime_loops_.store(true, std::memory_order_relaxed); }
  LoopKinds expected() const {
    return {runtime_loops_.load(std::memory_order_relaxed), compiled_loops_.load(std::memory_order_relaxed)};
  }

  void fix_threads() { fixed_.store(true, std::memory_order_relaxed); }
  bool threads_are_fixed() const { return fixed_.load(std::memory_order_relaxed); }
  void bind_threads() { bound_.store(true, std::memory_order_relaxed); }
  void keep_regions() { kept_.store(true, std::memory_order_relaxed); }
  bool regions_are_kept() const { return kept_.load(std::memory_order_relaxed); }
  bool threads_are_bound() const { return bound_.load(std::memory_order_relaxed) || threads_are_fixed(); }

 private:
  static constexpr uint32_t slots = 1024;
  static constexpr uint32_t longest_search = 16;
  static uint32_t home_of(const void* microtask) {
    return uint32_t(reinterpret_cast<uintptr_t>(microtask) * 0x9e3779b97f4a7c15u >> 32) % slots;
  }

  /// Open addressing without removal: readers need no lock, which the origin's service thread, one of the writers,
  /// could not take. Regions that find no place always run on all nodes.
  Entry table_[slots];
  /// relaxed: set at the start, or in a region, whose end orders it before the next team of the same primary. So it is
  /// on node 0 when another node's part says it: before that part counts as ended.
  std::atomic<bool> fixed_{false};
  std::atomic<bool> bound_{false};        ///< relaxed: likewise; whoever loads such code tells the threads that call it
  std::atomic<bool> kept_{false};         ///< relaxed: likewise
  std::atomic<bool> runtime_loops_{true}; ///< relaxed: a hint, as those of entries are
  std::atomic<bool> compiled_loops_{true}; ///< relaxed: likewise
};

constinit Withdrawals withdrawals;

Entry* Withdrawals::find(const void* microtask, bool make) {
  for (uint32_t i = 0; i < longest_search; i++) {
    Entry& entry = table_[(home_of(microtask) + i) % slots];
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
  Entry* entry = withdrawals.find(microtask, false);
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

PlacedLoops placed_loops_of(const void* microtask) {
  const Entry* entry = withdrawals.find(microtask, false);
  return entry ? entry->loops.load(std::memory_order_relaxed) : PlacedLoops::Unknown;
}

void expect_loops(LoopKinds kinds) { withdrawals.expect(kinds); }

LoopKinds expected_loops() { return withdrawals.expected(); }

void note_runtime_loop_at_home(const void* microtask) {
  withdrawals.expect_runtime_loops();
  if (Entry* entry = withdrawals.find(microtask, false)) {
    PlacedLoops none = PlacedLoops::None;
    entry->loops.compare_exchange_strong(none, PlacedLoops::Unknown, std::memory_order_relaxed);
  }
}

void publish_needed_nodes(const void* microtask, NodeSet nodes, PlacedLoops loops) {
  const bool could_do_without_some =
      nodes != NodeSet::all() || loops == PlacedLoops::None || loops == PlacedLoops::OnOrigin;
  Entry* entry = withdrawals.find(microtask, could_do_without_some); // there are not places for all regions
  if (!entry)
    return;
  entry->loops.store(loops, std::memory_order_relaxed);
  if (entry->needed.load(std::memory_order_relaxed) == nodes)
    return;
  entry->teams.store(0, std::memory_order_relaxed);
  entry->interval.store(first_audit, std::memory_order_relaxed);
  entry->needed.store(nodes, std::memory_order_relaxed);
}

void keep_threads_where_they_are() { withdrawals.fix_threads(); }

bool threads_stay_where_they_are() { return withdrawals.threads_are_fixed(); }

void bind_threads_to_origin() { withdrawals.bind_threads(); }

void keep_regions_at_home() { withdrawals.keep_regions(); }

bool regions_stay_at_home() { return withdrawals.regions_are_kept(); }

bool threads_are_bound() { return withdrawals.threads_are_bound(); }

} // namespace hetmp::runtime
