// Address space for objects that the program loads while it runs (dlopen).
//
// The dynamic linker lets the kernel choose where an object goes, and the kernel takes the highest place that is free.
// So every process keeps one range for this, has nothing free above it, and the origin opens it only while it loads. To
// the page protocol the window is one more piece of the program's writable data: its home is the origin, and on the
// other nodes it is there from the beginning.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <atomic>

namespace hetmp::dsm {

class LateWindow {
 public:
  static LateWindow& instance();

  /// At the start, before there are other nodes. The same place in processes that have the same objects loaded.
  void reserve();
  Segment range() const { return range_; }
  /// On the origin, any thread: where what has been loaded so far begins, up to the window's end. Between objects there
  /// may be pages that nobody can read.
  uintptr_t used_from() const { return free_end_.load(std::memory_order_relaxed); } // relaxed: a hint

  // On the origin, one thread at a time:
  /// Leaves the free part of the window to the kernel. Needs /proc; without it nothing will land in the window.
  void open();
  /// Takes back what is still free.
  void close();

  /// Where files may be mapped: what lies behind has been seen to, by whoever said so when the window was closed.
  Segment unsettled() const { return {range_.begin, unsettled_end_}; }
  void settle() { unsettled_end_ = used_from(); }

 private:
  Segment range_;
  std::atomic<uintptr_t> free_end_{0}; ///< in use, or lost, from here on; relaxed: see used_from()
  uintptr_t unsettled_end_ = 0;
  bool open_ = false;
};

} // namespace hetmp::dsm
