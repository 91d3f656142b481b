// syscall(), for the sake of futexes: the C++ library waits for futures, latches and the like with futexes of the kind
// that works between processes. Their sleepers cannot be woken without touching the page (futex_waiters.hpp). Memory
// that nodes share is private memory to the kernel, so the other kind means the same, and is used instead.
#include "dsm/interpose/undisturbed.hpp"
#include "dsm/process/node_process.hpp"

#include <cerrno>
#include <cstdarg>
#include <linux/futex.h>
#include <optional>
#include <sys/syscall.h>

namespace hetmp::dsm {
namespace {

#if defined(__x86_64__)
/// Not by way of the C library's function, which this one hides.
long system_call(long number, const long (&arguments)[6]) {
  long result = number;
  register long fourth asm("r10") = arguments[3];
  register long fifth asm("r8") = arguments[4];
  register long sixth asm("r9") = arguments[5];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}
#else
#error "system_call() is to be written for this processor"
#endif

bool is_shared_word(long address) {
  const NodeProcess* process = NodeProcess::instance();
  return process && process->plan().is_shared(uintptr_t(address));
}

/// Whether it ends early when any signal's handler has run. Who waits for a futex without a time limit waits on.
bool gives_up_for_signals(long number, const long (&arguments)[6]) {
  const long limit = arguments[3];
  return number != SYS_futex || limit != 0;
}

} // namespace
} // namespace hetmp::dsm

using namespace hetmp::dsm;

#pragma GCC visibility push(default)
extern "C" long syscall(long number, ...) noexcept {
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) // as many as there can be: which of them mean something only the kernel knows
    argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && !(arguments[1] & FUTEX_PRIVATE_FLAG) && is_shared_word(arguments[0]))
    arguments[1] |= FUTEX_PRIVATE_FLAG;
  std::optional<Undisturbed> here;
  if (gives_up_for_signals(number, arguments))
    here.emplace();
  const long result = system_call(number, arguments);
  if (result < 0 && result >= -4095) {
    errno = int(-result);
    return -1;
  }
  return result;
}
#pragma GCC visibility pop
