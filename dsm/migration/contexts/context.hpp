// The context in which a signal has interrupted a thread, as the kernel has written it: copied to where another thread
// can read it, and resumed there. Registers, floating-point state and all: the processes have the same address space,
// the same kernel and the same processor.
#pragma once

#include "dsm/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/ucontext.h>

namespace hetmp::dsm {

/// A context that lies in memory that nodes share. Not below the thread's stack pointer: that may stand just above the
/// stack's end, when the thread leaves as when it is sent home.
struct TravellingContext {
  /// What the kernel has put before the signal handler. Its library has more, which the kernel does not read.
  static constexpr size_t kernel_bytes = 304;

  /// How many bytes of context_room a copy takes; nothing if they are too few, or the floating-point state is in no
  /// form that is known here.
  static std::optional<size_t> bytes(const ucontext_t& interrupted);

  /// Copies it to context_room bytes there. Returns where it lies, which is at their beginning.
  static ucontext_t* put(const ucontext_t& interrupted, void* room);
};

inline uintptr_t instruction_of(const ucontext_t& context) { return uintptr_t(context.uc_mcontext.gregs[REG_RIP]); }
inline uintptr_t stack_pointer_of(const ucontext_t& context) { return uintptr_t(context.uc_mcontext.gregs[REG_RSP]); }

inline uint64_t bit_of(int signal) { return uint64_t(1) << (signal - 1); }
/// The kernel's 64 signals.
uint64_t blocked_signals_of(const ucontext_t& context);
/// Which signals are blocked, and the alternate signal stack, when it is resumed.
void adapt(ucontext_t& context, uint64_t blocked_signals, const stack_t& signal_stack);

/// The address of the calling thread's own record, which finds its thread-local variables.
inline uintptr_t thread_pointer() {
  uintptr_t pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/// The calling thread's; 0: the C library does not know.
uintptr_t page_below_stack();

} // namespace hetmp::dsm

extern "C" {
/// Continues where the context was interrupted, on the calling thread.
[[noreturn]] void hetmp_resume_context(ucontext_t* context);
/// The same with another thread's variables, whose pointer this is. Returns when that thread calls
/// hetmp_leave_context() with the same `place`, with variables of its own again.
void hetmp_enter_context(ucontext_t* context, uintptr_t thread_pointer, uintptr_t* place);
[[noreturn]] void hetmp_leave_context(const uintptr_t* place, uintptr_t own_thread_pointer);
}
