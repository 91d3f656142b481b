// Stacks for signal handlers, in private memory: what a handler does there touches no page that nodes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/ucontext.h>

namespace hetmp::dsm {

class SignalStack {
 public:
  static constexpr size_t bytes = size_t(128) << 10;

  /// For the calling thread. False: no memory, or the program has given the thread one of its own.
  bool make();
  stack_t description() const { return {reinterpret_cast<void*>(begin_), 0, bytes}; }
  bool holds(const void* address) const { return reinterpret_cast<uintptr_t>(address) - begin_ < bytes; }

 private:
  uintptr_t begin_ = UINTPTR_MAX;
};

} // namespace hetmp::dsm
