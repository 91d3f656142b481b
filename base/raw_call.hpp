// A system call by itself, in place: where the caller may touch nothing that is a thread's own, as the C library's
// functions touch errno, or may have no other function's frame on its stack.
#pragma once

namespace hetmp::raw {

#if defined(__x86_64__)
inline __attribute__((always_inline)) long call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return result;
}
#else
#error "raw::call() is to be written for this processor"
#endif

} // namespace hetmp::raw
