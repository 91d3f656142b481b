// Which code is the same on all nodes and touches nothing that is private to a process: what a thread that was
// interrupted in it may go on with on another node.
#pragma once

#include "base/elf/code_map.hpp"

#include <cstdint>
#include <sys/ucontext.h>
#include <vector>

namespace hetmp::dsm {

class PortableCode {
 public:
  /// The code of all objects of the program, and of the mathematical library. Before there are other processes: what is
  /// loaded later may not be there on all nodes.
  void find();
  /// Code to which functions of the program return, and from there to where they were called, without touching
  /// anything but the stack.
  void add_return_code(uintptr_t begin, uintptr_t end) { return_code_ = {begin, end}; }

  bool has(uintptr_t instruction) const;
  /// Whether a function of the program's may return there.
  bool may_return_to(uintptr_t instruction) const;

  /// Whether the thread that this signal has interrupted may go on elsewhere: it and all functions that have called it,
  /// up to the one whose stack pointer is `base`, are portable. By the thread, in the signal's handler. `asks`: it has
  /// sent itself the signal, from return code.
  bool may_leave(const ucontext_t& interrupted, uintptr_t base, bool asks) const;

 private:
  bool is_return_code(uintptr_t instruction) const {
    return instruction >= return_code_.begin && instruction < return_code_.end;
  }

  std::vector<ObjectCode::Span> spans_; ///< ascending
  ObjectCode::Span return_code_{0, 0};
};

} // namespace hetmp::dsm
