#include "dsm/migration/contexts/signal_stacks.hpp"

#include <csignal>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::dsm {

bool SignalStack::make() {
  stack_t present{};
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE))
    return false;
  const long memory = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); // this library interposes the name
  if (memory == -1)
    return false;
  begin_ = uintptr_t(memory);
  const stack_t wanted = description();
  return sigaltstack(&wanted, nullptr) == 0;
}

} // namespace hetmp::dsm
