// What programs, their libraries and the C library take for the initial thread's stack: where it ends
// (`__libc_stack_end`, /proc/self/stat), which mapping it is ("[stack]" in /proc/self/maps), whether its code may be
// executed.
//
// Conservative garbage collectors and interpreters ask for it in main, which has its stack where nodes share memory.
#pragma once

#include "dsm/space/address_plan.hpp"

namespace hetmp::dsm {

/// Of a node process.
class InitialStack {
 public:
  /// From now on it is `stack`. What the kernel says changes only where it lets a process say so (PR_SET_MM_MAP), and
  /// needs /proc. Before there are other nodes.
  void announce(const Segment& stack);

 private:
  friend class OriginalStackMeanwhile;
  void* original_end_ = nullptr; ///< null until another one is announced
  void* announced_end_ = nullptr;
};

/// While there is one, it is the one that the kernel has made. The dynamic linker wants that one where it makes stacks
/// executable.
class OriginalStackMeanwhile {
 public:
  explicit OriginalStackMeanwhile(const InitialStack& stack);
  ~OriginalStackMeanwhile();
  OriginalStackMeanwhile(const OriginalStackMeanwhile&) = delete;
  OriginalStackMeanwhile& operator=(const OriginalStackMeanwhile&) = delete;

 private:
  const InitialStack& stack_;
};

/// Whether any object that is loaded asks for executable stacks, as code does that takes the address of a nested
/// function.
bool executable_stacks_wanted();

} // namespace hetmp::dsm
