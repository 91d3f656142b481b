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
  /// Once, at that time of the monotonic clock; at once if it is past. Likewise.
  void set_at(int64_t when_ns) const;
  /// No signal comes any more. Likewise.
  void stop() const { set(0); }

 private:
  int id_ = -1; ///< the kernel's number
};

} // namespace hetmp::dsm
