// A timer that sends the travel signal to the thread that has made it.
#pragma once

#include <cstdint>
#include <ctime>

namespace hetmp::dsm {

class SignalTimer {
 public:
  /// By the thread. False: the system has none left.
  bool make();
  /// What its signals carry, and no others.
  static void* mark();
  /// Once after so long; 0: not at all. Any thread, also in signal handlers; makes no use of thread-local variables.
  void set(int64_t delay_ns, int64_t then_each_ns = 0) const;
  /// No signal comes any more, also in signal handlers. Returns after how long the next one would have; 0: none would.
  int64_t stop() const;

 private:
  int id_ = -1; ///< the kernel's number
};

} // namespace hetmp::dsm
