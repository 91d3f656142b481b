// Whether valgrind looks on.
#pragma once

#include <cstdint>

namespace hetmp {

/// By valgrind's own request, a sequence of instructions that does nothing elsewhere: the tool recognises it and
/// answers.
inline bool under_valgrind() {
  constexpr uint64_t running_on_valgrind = 0x1001;
  const uint64_t request[6] = {running_on_valgrind, 0, 0, 0, 0, 0};
  uint64_t answer = 0;
  asm volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
               : "+d"(answer)
               : "a"(request)
               : "cc", "memory");
  return answer != 0;
}

} // namespace hetmp
