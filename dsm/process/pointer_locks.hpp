// Locks for atomic operations on std::shared_ptr objects (std::atomic_load and its like): libstdc++ takes one of its
// process's mutexes, by the object's address. Nodes need the same ones, in memory that they share; and each its own
// page, or they would travel together.
#pragma once

#include "base/page.hpp"
#include "dsm/process/changes.hpp"
#include "dsm/space/address_plan.hpp"
#include "dsm/space/heap.hpp"

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace hetmp::dsm {

/// Of a node process. Mutexes of the ordinary kind, which are zeros before they are used.
class PointerLocks {
 public:
  static constexpr unsigned count = 16;

  /// On the origin, before there are other nodes. Its copies know where they are.
  void make(Heap& heap) {
    if (void* block = heap.allocate_zeroed((count + 2) * page_bytes))
      begin_.store(page_up(reinterpret_cast<uintptr_t>(block)), std::memory_order_relaxed); // see there
  }
  /// 0: there are none.
  uintptr_t begin() const { return begin_.load(std::memory_order_relaxed); } // see there

  /// Of zeros, for what else there is one of for all nodes (RandomState). 0: there is none.
  uintptr_t page_behind(bool is_on_origin) {
    return begin() != 0 || (!is_on_origin && ask_origin()) ? begin() + count * page_bytes : 0;
  }

  static unsigned lock_of(const void* object) {
    return unsigned(reinterpret_cast<uintptr_t>(object) * 0x9e3779b97f4a7c15u >> 60);
  }
  /// Any thread of the program on a node. Null: there are none.
  pthread_mutex_t* lock(unsigned which, bool is_on_origin) {
    if (begin() == 0 && (is_on_origin || !ask_origin()))
      return nullptr;
    return reinterpret_cast<pthread_mutex_t*>(begin() + (which & (count - 1)) * page_bytes);
  }

 private:
  /// In a process that is no copy of the origin's.
  bool ask_origin() {
    uint64_t begin = 0;
    if (change_at({.kind = Change::Kind::TellPointerLocks}, origin, &begin) != 0)
      return false;
    begin_.store(begin, std::memory_order_relaxed); // see there
    return begin != 0;
  }

  /// relaxed: it gets the same value by whichever thread, and what is there was zeros before there were other nodes.
  std::atomic<uintptr_t> begin_{0};
};

} // namespace hetmp::dsm
