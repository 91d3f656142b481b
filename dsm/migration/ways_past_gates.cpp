#include "dsm/migration/ways_past_gates.hpp"

#include "base/check.hpp"
#include "base/page.hpp"
#include "dsm/migration/this_process.hpp"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

constexpr size_t watched_bytes = 32;

WaysPastGates::Kind kind_of(std::string_view function) {
  using Kind = WaysPastGates::Kind;
  return function == "dlsym"          ? Kind::Symbol
         : function == "setitimer"    ? Kind::IntervalTimer
         : function == "timer_create" ? Kind::Timer
                                      : Kind::Any;
}

/// Of a process or of a thread, whose times have numbers below 0.
bool goes_by_processor(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

} // namespace
} // namespace hetmp::dsm

extern "C" {

/// Called by hetmp_go_past_gates, in front of the function. `frame`: below it lie the registers in the order in which
/// they were pushed. True: the function has been called, and its result lies where rax did.
__attribute__((visibility("hidden"), used)) bool hetmp_way_past_gates(const hetmp::dsm::WaysPastGates::Way* way,
                                                                      uintptr_t* frame) {
  return hetmp::dsm::this_process.ways->meet(*way, frame[-1], frame[-2], frame[-7]);
}

/// `way` in r11: a scratch register between a call and the function's first instruction.
__attribute__((visibility("hidden"))) void hetmp_go_past_gates();

} // extern "C"

// What may hold arguments is kept: the integer registers, al (the number of vector registers of a variadic call) and
// the vector registers' parts that scalars come in. Nothing behind the comparison changes the flags.
asm(R"(
  .pushsection .text
  .globl hetmp_go_past_gates
  .hidden hetmp_go_past_gates
  .type hetmp_go_past_gates, @function
hetmp_go_past_gates:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %rax
  push %r11
  sub $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  mov %r11, %rdi
  mov %rbp, %rsi
  call hetmp_way_past_gates
  test %al, %al
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  lea 128(%rsp), %rsp
  pop %r11
  pop %rax
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rbp
  .cfi_def_cfa %rsp, 8
  jne 1f
  jmp *(%r11)
1:
  ret
  .cfi_endproc
  .size hetmp_go_past_gates, . - hetmp_go_past_gates
  .popsection
)");

namespace hetmp::dsm {

static_assert(offsetof(WaysPastGates::Way, function) == 0); // as above

/// movabs $way, %r11; jmp *hetmp_go_past_gates
uintptr_t WaysPastGates::watched(uintptr_t function, const char* name) {
  static_assert(most * watched_bytes <= page_bytes);
  if (code_ == 0) {
    const long room =
        syscall(SYS_mmap, nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code_ = room == -1 ? 0 : uintptr_t(room);
  }
  if (code_ == 0 || count_ == most)
    return 0;
  HETMP_CHECK(have_all_at_home_ && function != 0);
  Way& way = ways_[count_];
  way.function = function;
  way.kind = kind_of(name);
  snprintf(way.in_words, sizeof way.in_words, "the program has called %s", name);
  uint8_t code[watched_bytes] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x25};
  constexpr size_t way_at = 2, target_at = 16;
  const auto its = reinterpret_cast<uintptr_t>(&way), target = reinterpret_cast<uintptr_t>(&hetmp_go_past_gates);
  memcpy(code + way_at, &its, sizeof its);
  memcpy(code + target_at, &target, sizeof target);
  const uintptr_t place = code_ + count_++ * watched_bytes;
  memcpy(reinterpret_cast<void*>(place), code, sizeof code);
  return place;
}

bool WaysPastGates::close() {
  return code_ == 0 || syscall(SYS_mprotect, code_, page_bytes, PROT_READ | PROT_EXEC) == 0;
}

bool WaysPastGates::meet(const Way& way, uintptr_t first, uintptr_t second, uintptr_t& result) {
  HETMP_CHECK(size_t(&way - ways_) < count_);
  switch (way.kind) {
  case Kind::IntervalTimer:
    if (int(first) != ITIMER_REAL)
      take(way);
    return false;
  case Kind::Timer:
    if (goes_by_processor(clockid_t(first)))
      take(way);
    return false;
  case Kind::Symbol:
    if (void* const handle = reinterpret_cast<void*>(first); handle != RTLD_NEXT) { // which depends on who asks
      const auto find = reinterpret_cast<decltype(&dlsym)>(way.function);
      result = uintptr_t(find(handle, reinterpret_cast<const char*>(second)));
      if (result != 0 && !contain(program_, result))
        take(way);
      return true;
    }
    break;
  case Kind::Any:
    break;
  }
  take(way);
  return false;
}

/// Several may do this at once: each waits until all are at home.
void WaysPastGates::take(const Way& way) {
  if (taken())
    return;
  have_all_at_home_();
  const Way* none = nullptr;
  taken_.compare_exchange_strong(none, &way, std::memory_order_release, std::memory_order_relaxed);
}

} // namespace hetmp::dsm
