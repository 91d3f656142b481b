// Short turns for threads that share CPUs. Linux ends a turn at a tick of its clock at the soonest, every 4 ms or so. A
// thread that wakes up on the CPU between ticks, and sleeps again at once, makes the kernel choose anew who goes on:
// whoever has had less of the CPU than the thread that was interrupted.
#pragma once

#include "base/futex.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace hetmp::runtime {

class TurnKeepers {
 public:
  /// From now on turns on these CPUs are to last so long; not 0. Where the system refuses threads they do not.
  void begin(const std::vector<int>& cpus, uint32_t turns_us);
  /// They last as long as the kernel makes them again.
  void end();

 private:
  struct Keeper {
    FutexWord* turns_us;
    int cpu;
  };
  static void* body(void* keeper);

  /// 0: all keepers sleep. Relaxed: the number alone; never freed, since keepers look at it for ever.
  FutexWord* turns_us_ = nullptr;
};

} // namespace hetmp::runtime
