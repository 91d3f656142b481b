// Task dependences: the order between children of one task that `depend` clauses ask for.
//
// For each storage location the children form groups, in the order in which they are generated: each writer alone, or
// neighbours that only read, only exclude each other, or are an inoutset. All of a group wait for all of the group
// before it, which makes them wait for everything before that.
#pragma once

#include "runtime/task_graph/task.hpp"
#include "runtime/wait/futex_lock.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace hetmp::runtime {

enum class DependenceKind : uint8_t { In, InOut, MutexInOutSet, InOutSet };

/// One item of a depend clause; `out` is the same as `inout`.
struct Dependence {
  const void* address = nullptr; ///< of the storage location
  DependenceKind kind = DependenceKind::InOut;
  bool all_memory = false; ///< omp_all_memory: every location; `address` means nothing
};

/// Keeps the members of a mutexinoutset apart.
struct Exclusion {
  uint32_t references = 0; ///< all members: guarded by the lock of dependences.cpp
  bool held = false;
  std::vector<DependenceNode*> waiting;
};

/// A task, or a `taskwait depend`, as a point of that order.
struct DependenceNode {
  ExplicitTask* task = nullptr; ///< null: a taskwait
  bool awaited = true;          ///< of a taskwait: by a thread; if not (nowait), it is complete as soon as it is ready
  /// Nodes before it that are not complete, and one while it is being inserted. seq_cst: what threads wait for.
  std::atomic<uint32_t> predecessors{1};
  std::atomic<uint32_t> references{1}; ///< its maker's, and one for each place that knows of it
  std::vector<Exclusion*> exclusions;

  FutexLock lock;
  ompt::TaskRecord* observed = nullptr;    ///< for a tool (OMPT), the task's or taskwait's; null: there is none
  bool complete = false;                   ///< guarded by the lock
  std::vector<DependenceNode*> successors; ///< guarded by the lock
};

void release(DependenceNode* node);

class DependenceTable {
 public:
  DependenceTable() = default;
  ~DependenceTable();
  DependenceTable(const DependenceTable&) = delete;
  DependenceTable& operator=(const DependenceTable&) = delete;

  /// Puts `node` behind the nodes inserted so far that it depends on. Several items of one location count as the
  /// strongest. Afterwards is_inserted() tells whether it is ready.
  void insert(DependenceNode& node, std::vector<Dependence> items);

 private:
  struct Group {
    DependenceKind kind = DependenceKind::In;
    std::vector<DependenceNode*> members;
    Exclusion* exclusion = nullptr; ///< MutexInOutSet
  };
  struct Location {
    Group now;
    std::vector<DependenceNode*> before; ///< members of the group before `now`

    /// When a node has been inserted: it belongs to a group, of which writers have one of their own, and each member is
    /// held.
    bool valid() const {
      // relaxed: the table's own reference is among them
      const auto is_held = [](const DependenceNode* node) {
        return node->references.load(std::memory_order_relaxed) != 0;
      };
      return !now.members.empty() && (now.kind != DependenceKind::InOut || now.members.size() == 1) &&
             (now.exclusion != nullptr) == (now.kind == DependenceKind::MutexInOutSet) &&
             std::all_of(now.members.begin(), now.members.end(), is_held) &&
             std::all_of(before.begin(), before.end(), is_held);
    }
  };

  void insert_everywhere(DependenceNode& node);
  void insert_at(Location& location, DependenceNode& node, DependenceKind kind);

  std::unordered_map<const void*, Location> locations_;
  DependenceNode* everywhere_ = nullptr; ///< the last one that named all memory: comes before every location
};

/// Whoever inserted the node lets it go: true if nothing is left that it waits for. Otherwise complete() will name it.
bool is_inserted(DependenceNode& node);

/// A node whose predecessors are complete may have to wait for others of its mutexinoutsets: false, and complete() will
/// name it.
bool enter_exclusions(DependenceNode& node);

/// The task of `node` is complete, or there is none. Appends the tasks that are now ready, exclusions entered, to
/// `ready`. Threads that wait see it by `predecessors`. Whether anything has been behind it.
bool complete(DependenceNode& node, std::vector<ExplicitTask*>& ready);

/// In a forked child: nobody holds the lock of all exclusions.
void forget_exclusions();

} // namespace hetmp::runtime
