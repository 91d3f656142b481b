#include "dsm/migration/contexts/context.hpp"

#include "base/check.hpp"
#include "base/page.hpp"

#include <asm/prctl.h>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>

namespace hetmp::dsm {
namespace {

/// Of the floating-point state, where the kernel says what follows its oldest part (asm/sigcontext.h).
struct StateWords {
  static constexpr size_t offset = 464;
  static constexpr uint32_t magic = 0x46505853; // FP_XSTATE_MAGIC1
  uint32_t magic1;
  uint32_t extended_bytes; ///< all of it
};
constexpr size_t oldest_state_bytes = 512, most_state_bytes = 16384;
constexpr size_t mask_offset = TravellingContext::kernel_bytes - sizeof(uint64_t);

/// 0: unknown.
size_t state_bytes(const ucontext_t& context) {
  const auto* state = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  if (!state)
    return 0;
  StateWords words;
  memcpy(&words, state + StateWords::offset, sizeof words);
  if (words.magic1 != StateWords::magic)
    return 0;
  return words.extended_bytes >= oldest_state_bytes && words.extended_bytes <= most_state_bytes ? words.extended_bytes
                                                                                                : 0;
}

/// Of the context itself, so that the state behind it is aligned.
constexpr size_t context_bytes = (TravellingContext::kernel_bytes + context_alignment - 1) & ~(context_alignment - 1);

} // namespace

std::optional<size_t> TravellingContext::bytes(const ucontext_t& interrupted) {
  const size_t state = state_bytes(interrupted);
  if (state == 0 || context_bytes + state > context_room)
    return {};
  return context_bytes + state;
}

ucontext_t* TravellingContext::put(const ucontext_t& interrupted, void* room) {
  HETMP_CHECK(bytes(interrupted) && reinterpret_cast<uintptr_t>(room) % context_alignment == 0);
  char* const state = static_cast<char*>(room) + context_bytes;
  memcpy(state, interrupted.uc_mcontext.fpregs, state_bytes(interrupted));
  memcpy(room, &interrupted, kernel_bytes);
  auto* const copy = static_cast<ucontext_t*>(room);
  copy->uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state);
  return copy;
}

uint64_t blocked_signals_of(const ucontext_t& context) {
  uint64_t blocked;
  memcpy(&blocked, reinterpret_cast<const char*>(&context) + mask_offset, sizeof blocked);
  return blocked;
}

void adapt(ucontext_t& context, uint64_t blocked_signals, const stack_t& signal_stack) {
  context.uc_stack = signal_stack;
  memcpy(reinterpret_cast<char*>(&context) + mask_offset, &blocked_signals, sizeof blocked_signals);
}

uintptr_t page_below_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void* begin = nullptr;
  size_t bytes;
  const int error = pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return error || !begin ? 0 : page_down(reinterpret_cast<uintptr_t>(begin)) - page_bytes;
}

} // namespace hetmp::dsm

#if !defined(__x86_64__)
#error "contexts of this processor are to be written"
#endif

// The kernel takes a context from where the stack pointer stands when rt_sigreturn is called. Nothing here may use
// variables of the thread once its pointer has been set.
asm(R"(
  .pushsection .text
  .globl hetmp_resume_context
  .hidden hetmp_resume_context
  .type hetmp_resume_context, @function
hetmp_resume_context:
  mov %rdi, %rsp
  mov $15, %eax
  syscall
  ud2
  .size hetmp_resume_context, . - hetmp_resume_context

  .globl hetmp_enter_context
  .hidden hetmp_enter_context
  .type hetmp_enter_context, @function
hetmp_enter_context:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdx)
  mov %rdi, %rbx
  mov $0x1002, %edi
  mov $158, %eax
  syscall
  mov %rbx, %rsp
  mov $15, %eax
  syscall
  ud2
  .size hetmp_enter_context, . - hetmp_enter_context

  .globl hetmp_leave_context
  .hidden hetmp_leave_context
  .type hetmp_leave_context, @function
hetmp_leave_context:
  mov (%rdi), %rbx
  mov $0x1002, %edi
  mov $158, %eax
  syscall
  mov %rbx, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size hetmp_leave_context, . - hetmp_leave_context
  .popsection
)");

static_assert(SYS_rt_sigreturn == 15 && SYS_arch_prctl == 158 && ARCH_SET_FS == 0x1002); // as above
