#include "runtime/task_graph/dependences.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"

#include <algorithm>
#include <new>

namespace hetmp::runtime {
namespace {

FutexLock exclusions_lock; ///< one for all: mutexinoutset is rare, and so no order of locking has to be kept

DependenceNode* keep(DependenceNode& node) {
  // relaxed: the caller's own reference keeps the node meanwhile
  [[maybe_unused]] const uint32_t before = node.references.fetch_add(1, std::memory_order_relaxed);
  HETMP_CHECK(before != 0);
  return &node;
}

void release_all(std::vector<DependenceNode*>& nodes) {
  for (DependenceNode* node : nodes)
    release(node);
  nodes.clear();
}

void put_behind(DependenceNode& predecessor, DependenceNode& node) {
  if (&predecessor == &node)
    return;
  FutexLockGuard guard(predecessor.lock);
  if (predecessor.complete)
    return;
  HETMP_CHECK(node.predecessors.load(std::memory_order_relaxed) != 0 && !node.complete); // it is being inserted
  predecessor.successors.push_back(keep(node));
  if (predecessor.observed && node.observed) [[unlikely]]
    ompt::tell_dependence(*predecessor.observed, *node.observed); // which the task keeps until it is complete
  node.predecessors.fetch_add(1, std::memory_order_relaxed);      // is_inserted() publishes it
}

/// Members that are complete need not be known: a location that is only read would collect them for ever.
void forget_complete(std::vector<DependenceNode*>& members) {
  std::erase_if(members, [](DependenceNode* node) {
    {
      FutexLockGuard guard(node->lock);
      if (!node->complete)
        return false;
    }
    release(node);
    return true;
  });
}

bool comes_first(const Dependence& a, const Dependence& b) {
  if (a.address != b.address)
    return a.address < b.address;
  return (a.kind == DependenceKind::InOut) > (b.kind == DependenceKind::InOut);
}

/// One item for each location. Two of different kinds are as good as inout.
void merge_same_locations(std::vector<Dependence>& items) {
  std::sort(items.begin(), items.end(), comes_first);
  size_t kept = 0;
  for (const Dependence& item : items) {
    if (kept > 0 && items[kept - 1].address == item.address) {
      if (items[kept - 1].kind != item.kind)
        items[kept - 1].kind = DependenceKind::InOut;
    } else {
      items[kept++] = item;
    }
  }
  items.resize(kept);
  HETMP_CHECK_COSTLY(std::adjacent_find(items.begin(), items.end(), [](const Dependence& a, const Dependence& b) {
                       return a.address >= b.address;
                     }) == items.end());
}

/// With exclusions_lock held.
bool enter_all(DependenceNode& node) {
  HETMP_CHECK(exclusions_lock.held());
  HETMP_CHECK(node.predecessors.load(std::memory_order_relaxed) == 0); // relaxed: the caller has seen that
  for (Exclusion* exclusion : node.exclusions)
    if (exclusion->held) {
      exclusion->waiting.push_back(&node); // its maker's reference lasts until it is complete
      return false;
    }
  for (Exclusion* exclusion : node.exclusions)
    exclusion->held = true;
  return true;
}

/// With exclusions_lock held.
void drop(Exclusion* exclusion) {
  HETMP_CHECK(exclusions_lock.held() && exclusion->references != 0);
  HETMP_CHECK(exclusion->references != 1 || (!exclusion->held && exclusion->waiting.empty()));
  if (--exclusion->references == 0)
    delete exclusion;
}

/// Nothing keeps `node` any longer.
void make_ready(DependenceNode& node, std::vector<ExplicitTask*>& ready) {
  HETMP_CHECK(node.predecessors.load(std::memory_order_relaxed) == 0);
  if (node.task) {
    ready.push_back(node.task);
  } else if (!node.awaited) {
    complete(node, ready);
    release(&node); // its maker has left it to us
  }
}

void leave_exclusions(DependenceNode& node, std::vector<ExplicitTask*>& ready) {
  FutexLockGuard guard(exclusions_lock);
  std::vector<DependenceNode*> waiting;
  for (Exclusion* exclusion : node.exclusions) {
    HETMP_CHECK(exclusion->held);
    exclusion->held = false;
    waiting.insert(waiting.end(), exclusion->waiting.begin(), exclusion->waiting.end());
    exclusion->waiting.clear();
  }
  for (DependenceNode* other : waiting)
    if (enter_all(*other)) {
      HETMP_CHECK(other->task);
      ready.push_back(other->task); // only tasks exclude each other
    }
  for (Exclusion* exclusion : node.exclusions)
    drop(exclusion);
  node.exclusions.clear();
}

} // namespace

void release(DependenceNode* node) {
  // acq_rel: the last one sees all that the others did with the node.
  const uint32_t before = node->references.fetch_sub(1, std::memory_order_acq_rel);
  HETMP_CHECK(before != 0);
  HETMP_CHECK(before != 1 || node->successors.empty()); // each of them knows of it no more
  if (before == 1)
    delete node;
}

DependenceTable::~DependenceTable() {
  for (auto& [address, location] : locations_) {
    release_all(location.now.members);
    release_all(location.before);
    if (location.now.exclusion) {
      FutexLockGuard guard(exclusions_lock);
      drop(location.now.exclusion);
    }
  }
  if (everywhere_)
    release(everywhere_);
}

void DependenceTable::insert(DependenceNode& node, std::vector<Dependence> items) {
  if (std::any_of(items.begin(), items.end(), [](const Dependence& item) { return item.all_memory; })) {
    insert_everywhere(node);
    return;
  }
  merge_same_locations(items);
  for (const Dependence& item : items) {
    const auto [entry, is_new] = locations_.try_emplace(item.address);
    Location& location = entry->second;
    if (is_new) {
      location.now.kind = item.kind;
      if (everywhere_)
        location.before.push_back(keep(*everywhere_));
    }
    insert_at(location, node, item.kind);
    HETMP_CHECK_COSTLY(location.valid());
  }
}

void DependenceTable::insert_everywhere(DependenceNode& node) {
  for (auto& [address, location] : locations_) {
    for (DependenceNode* member : location.now.members)
      put_behind(*member, node);
    for (DependenceNode* member : location.before)
      put_behind(*member, node);
    release_all(location.now.members);
    release_all(location.before);
    if (location.now.exclusion) {
      FutexLockGuard guard(exclusions_lock);
      drop(location.now.exclusion);
    }
  }
  locations_.clear();
  if (everywhere_) {
    put_behind(*everywhere_, node);
    release(everywhere_);
  }
  everywhere_ = keep(node);
}

void DependenceTable::insert_at(Location& location, DependenceNode& node, DependenceKind kind) {
  constexpr size_t many_members = 64;
  Group& now = location.now;
  if (now.kind != kind || kind == DependenceKind::InOut) {
    if (!now.members.empty()) { // else what was before is what comes before this one, too
      release_all(location.before);
      location.before.swap(now.members);
    }
    if (now.exclusion) {
      FutexLockGuard guard(exclusions_lock);
      drop(now.exclusion);
      now.exclusion = nullptr;
    }
    now.kind = kind;
  }
  for (DependenceNode* predecessor : location.before)
    put_behind(*predecessor, node);
  if (now.members.size() >= many_members && (now.members.size() & (now.members.size() - 1)) == 0)
    forget_complete(now.members);
  now.members.push_back(keep(node));
  if (kind == DependenceKind::MutexInOutSet) {
    FutexLockGuard guard(exclusions_lock);
    if (!now.exclusion)
      now.exclusion = new Exclusion{1, false, {}};
    HETMP_CHECK(now.exclusion->references != 0); // the table's
    now.exclusion->references++;
    node.exclusions.push_back(now.exclusion);
  }
}

bool is_inserted(DependenceNode& node) {
  // seq_cst: pairs with complete(); the last one to count down acquires what all predecessors did.
  const uint32_t before = node.predecessors.fetch_sub(1, std::memory_order_seq_cst);
  HETMP_CHECK(before != 0);
  return before == 1;
}

bool enter_exclusions(DependenceNode& node) {
  if (node.exclusions.empty())
    return true;
  FutexLockGuard guard(exclusions_lock);
  return enter_all(node);
}

bool complete(DependenceNode& node, std::vector<ExplicitTask*>& ready) {
  std::vector<DependenceNode*> successors;
  {
    FutexLockGuard guard(node.lock);
    HETMP_CHECK(!node.complete && node.predecessors.load(std::memory_order_relaxed) == 0);
    node.complete = true;
    successors.swap(node.successors);
  }
  for (DependenceNode* successor : successors) {
    HETMP_CHECK(successor->predecessors.load(std::memory_order_relaxed) != 0);
    if (successor->predecessors.fetch_sub(1, std::memory_order_seq_cst) == 1 && enter_exclusions(*successor))
      make_ready(*successor, ready);
    release(successor);
  }
  const bool excludes = !node.exclusions.empty();
  if (excludes)
    leave_exclusions(node, ready);
  return excludes || !successors.empty();
}

void forget_exclusions() { new (&exclusions_lock) FutexLock; }

} // namespace hetmp::runtime
