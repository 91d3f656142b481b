#include "runtime/sync/flush.hpp"

#include "runtime/wait/wait.hpp"

#include <atomic>
#include <sched.h>

namespace hetmp::runtime {

void flush(const void* frame, const void* place) {
  // Pairs with the flushes of other threads. seq_cst: orders writes before it and reads after it, too.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (spinning_pays() || !spinning.flushes().is_repeated(frame, place, monotonic_nanoseconds()))
    return;
  sched_yield();
  spinning.flushes().waited(frame, monotonic_nanoseconds());
}

} // namespace hetmp::runtime
