#include "dsm/migration/signal_stacks.hpp"

#include "dsm/migration/raw_calls.hpp"

#include <csignal>
#include <sys/mman.h>

namespace hetmp::dsm {

bool SignalStack::make() {
  stack_t present{};
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE))
    return false;
  register long flags asm("r10") = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  register long file asm("r8") = -1;
  register long offset asm("r9") = 0;
  long result = SYS_mmap;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(0L), "S"(long(bytes)), "d"(long(PROT_READ | PROT_WRITE)), "r"(flags), "r"(file), "r"(offset)
               : "rcx", "r11", "memory");
  if (result < 0 && result >= -4095)
    return false;
  begin_ = uintptr_t(result);
  const stack_t wanted = description();
  return sigaltstack(&wanted, nullptr) == 0;
}

void SignalStack::remove() {
  if (begin_ == UINTPTR_MAX)
    return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  raw::call(SYS_munmap, long(begin_), long(bytes));
  begin_ = UINTPTR_MAX;
}

} // namespace hetmp::dsm
