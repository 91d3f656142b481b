// What the service thread wants done that may wait for a lock or for shared memory. A thread of its own does it, made
// in good time (private_threads.hpp).
#pragma once

#include "base/futex.hpp"

#include <atomic>

namespace hetmp::dsm {

/// Of a node process, for as long as it lives.
class Errands {
 public:
  /// Once, on each node, before the first errand. Not on the service thread.
  void start();

  /// Service thread: have `body(argument)` called soon. Errands are done one after the other, in the order given.
  /// Without a lock that the errands' thread could hold.
  void do_later(void (*body)(void*), void* argument);

 private:
  struct Errand;
  static void* thread(void* errands);
  static Errand* in_order(Errand* latest);
  /// All that have not been taken yet, in the order in which they came; blocks for as long as there is none.
  Errand* take();

  std::atomic<Errand*> latest_{nullptr}; ///< the latest first; released by do_later(), acquired by take()
  FutexWord rung_{0};                    ///< counts errands given; likewise
};

} // namespace hetmp::dsm
