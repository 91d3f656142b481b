// __kmpc_task_get_depnode and __kmpc_task_get_successors: tasks and their order as libomp's own records show them.
//
// Those records are made when somebody asks for them, from the runtime's own, and have what a program can rely on: a
// node is the same for as long as its task is not complete, begins with the list of its successors, and the list has
// each of these once, the newest first. A list that was asked for stays as it is; asking again gives a longer one if
// there are more successors now.
#include "base/check.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_dependence.hpp"
#include "runtime/abi/kmpc/kmp_task.hpp"
#include "runtime/task_graph/dependences.hpp"
#include "runtime/task_graph/task_memory.hpp"

#include <deque>
#include <memory>
#include <mutex>
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
/// address is no other one's. To be asked by way of Asking.
class ShownNodes {
 public:
  /// A fork() by another thread while somebody asks would leave the child a lock that nobody gives back.
  void lock();
  void unlock() { lock_.unlock(); }

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
    HETMP_CHECK(lock_.held());
    if (!nodes_)
      nodes_ = new Nodes;
    std::unique_ptr<Shown>& shown = (*nodes_)[&node];
    if (!shown) {
      node.references.fetch_add(1, std::memory_order_relaxed); // relaxed: the caller keeps it meanwhile
      shown = std::make_unique<Shown>();
    }
    return *shown;
  }

  /// A node is complete before any of its successors, so nothing that is left names it.
  void forget_complete() {
    if (!nodes_)
      return;
    std::erase_if(*nodes_, [](const auto& entry) {
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

  using Nodes = std::unordered_map<DependenceNode*, std::unique_ptr<Shown>>;
  pthread_once_t once_ = PTHREAD_ONCE_INIT;
  FutexLock lock_;
  Nodes* nodes_ = nullptr; ///< guarded by the lock; never destroyed: threads may still ask
};

constinit ShownNodes shown_nodes;

void ShownNodes::lock() {
  pthread_once(&once_, [] {
    pthread_atfork([] { shown_nodes.lock_.lock(); }, [] { shown_nodes.lock_.unlock(); },
                   [] { new (&shown_nodes.lock_) FutexLock; });
  });
  lock_.lock();
}

using Asking = std::lock_guard<ShownNodes>;

} // namespace

/// Of a task that is not complete; null if it was submitted without dependences, or has not been yet.
HETMP_ENTRY KmpNode* __kmpc_task_get_depnode(KmpTask* task) {
  DependenceNode* node = task_of_body(task).dependence;
  const Asking asking(shown_nodes);
  return node ? &shown_nodes.show(*node) : nullptr;
}

/// The same for the tasks that wait for it.
HETMP_ENTRY KmpNodeList* __kmpc_task_get_successors(KmpTask* task) {
  DependenceNode* node = task_of_body(task).dependence;
  const Asking asking(shown_nodes);
  return node ? shown_nodes.show_successors(*node) : nullptr;
}
