// __kmpc_task_get_depnode and __kmpc_task_get_successors: tasks and their order as libomp's own records show them.
//
// Those records are made when somebody asks for them, from the runtime's own, and have what a program can rely on: a
// node is the same for as long as its task is not complete, begins with the list of its successors, and the list has
// each of these once, the newest first. A list that was asked for stays as it is; asking again gives a longer one if
// there are more successors now.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_dependence.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task_memory.hpp"

#include <deque>
#include <memory>
#include <new>
#include <pthread.h>
#include <unordered_map>

using namespace hetmp::runtime;

namespace {

struct Shown {
  KmpNode node{nullptr};
  std::deque<KmpNodeList>
      entries; ///< what node.successors begins with and goes on to; a deque's elements stay where they are
};

/// What has been shown of nodes that were not complete when somebody asked for the last time. Each is held, so that its
/// address is no other one's.
class ShownNodes {
 public:
  KmpNode& show(DependenceNode& node) {
    forget_complete();
    return shown_of(node).node;
  }

  KmpNodeList* show_successors(DependenceNode& node) {
    forget_complete();
    Shown& shown = shown_of(node);
    FutexLockGuard guard(node.lock);
    for (DependenceNode* successor : node.successors) {
      KmpNode& next = shown_of(*successor).node;
      if (!has(shown.node.successors, next))
        shown.node.successors = &shown.entries.emplace_back(KmpNodeList{&next, shown.node.successors});
    }
    return shown.node.successors;
  }

 private:
  Shown& shown_of(DependenceNode& node) {
    std::unique_ptr<Shown>& shown = nodes_[&node];
    if (!shown) {
      node.references.fetch_add(1, std::memory_order_relaxed); // relaxed: the caller keeps it meanwhile
      shown = std::make_unique<Shown>();
    }
    return *shown;
  }

  /// A node is complete before any of its successors, so nothing that is left names it.
  void forget_complete() {
    std::erase_if(nodes_, [](const auto& entry) {
      {
        FutexLockGuard guard(entry.first->lock);
        if (!entry.first->complete)
          return false;
      }
      release(entry.first);
      return true;
    });
  }

  static bool has(const KmpNodeList* list, const KmpNode& node) {
    while (list && list->node != &node)
      list = list->next;
    return list != nullptr;
  }

  std::unordered_map<DependenceNode*, std::unique_ptr<Shown>> nodes_;
};

FutexLock lock;

/// With the lock held.
ShownNodes& shown_nodes() {
  static ShownNodes& nodes = *new ShownNodes; // never destroyed: threads may still ask
  return nodes;
}

/// Holds the lock. A fork() by another thread meanwhile would leave the child a lock that nobody gives back.
class Asking {
 public:
  Asking() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once,
                 [] { pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { new (&lock) FutexLock; }); });
    lock.lock();
  }
  ~Asking() { lock.unlock(); }
};

} // namespace

/// Of a task that is not complete; null if it was submitted without dependences, or has not been yet.
HETMP_ENTRY KmpNode* __kmpc_task_get_depnode(KmpTask* task) {
  DependenceNode* node = task_of_body(task).dependence;
  const Asking asking;
  return node ? &shown_nodes().show(*node) : nullptr;
}

/// The same for the tasks that wait for it.
HETMP_ENTRY KmpNodeList* __kmpc_task_get_successors(KmpTask* task) {
  DependenceNode* node = task_of_body(task).dependence;
  const Asking asking;
  return node ? shown_nodes().show_successors(*node) : nullptr;
}
