// Futexes between nodes. The C library lets threads sleep on words of the program's memory (mutexes, condition
// variables, pthread_once, stream locks ...), and whoever changes the word wakes the sleepers of its own process. A
// thread of another node cannot. But to change the word it had to take the page away from this node first: so, after
// this node has lost a page, threads here that sleep on a word in shared memory are woken to look again.
//
// Nothing is missed. A sleeper's word was compared in the kernel, with the page present, when it went to sleep. If the
// word changes on another node, this node loses the page after that, and a scan follows. A thread that is not yet
// asleep when the scan comes compares the word after the loss: it fetches the page and sees the change. And all waits
// of the C library look again after being woken for nothing, because futexes may always do that.
//
// This is for process-private futexes, which is what the C library uses. (Waking one of the other kind makes the kernel
// touch the page, which the service thread must not; the C++ library has such waits for static local objects, and
// interpose_static_init.cpp has those.)
#pragma once

#include "dsm/space/address_plan.hpp"

#include <cstdint>
#include <optional>

namespace hetmp::dsm {

/// Of the service thread. Touches no shared page.
class SharedFutexes {
 public:
  explicit SharedFutexes(const AddressPlan& plan) : plan_(plan) {}

  /// This node has lost a page.
  void copies_lost() { lost_ = true; }
  /// Looks at the threads if it has to and has not just done so: at most once in two milliseconds, and at most a
  /// fiftieth of the time.
  void wake_if_due();
  /// Nanoseconds until it wants to look; nothing if it has no reason to.
  std::optional<int64_t> until_due() const;

 private:
  const AddressPlan& plan_;
  bool lost_ = false; ///< since the last look
  int64_t next_ = 0;  ///< CLOCK_MONOTONIC: not before, since looking costs time
};

} // namespace hetmp::dsm
