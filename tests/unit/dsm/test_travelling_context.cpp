// A context that a signal handler has captured goes on on another thread, which hands it back: with its registers, its
// variables and its floating-point state.
#include "dsm/migration/contexts/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstring>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace hetmp::dsm {
namespace {

alignas(context_alignment) char room[context_room];
thread_local char signal_memory[65536];
std::atomic<bool> is_there{false}, is_back{false};
uint64_t blocked_at_home = 0;
uintptr_t carriers_pointer = 0, carriers_place = 0;

/// The thread's, while this exists: sanitizers have given it one, which they take back at its end.
class UseSignalStack {
 public:
  UseSignalStack() {
    const stack_t stack{signal_memory, 0, sizeof signal_memory};
    EXPECT_EQ(sigaltstack(&stack, &before_), 0);
  }
  ~UseSignalStack() { EXPECT_EQ(sigaltstack(&before_, nullptr), 0); }
  UseSignalStack(const UseSignalStack&) = delete;
  UseSignalStack& operator=(const UseSignalStack&) = delete;

 private:
  stack_t before_{};
};

pid_t thread_now() { // not the C library's, which may know
  long result = SYS_gettid;
  asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  return pid_t(result);
}

/// The thread leaves: its context is put where the other thread takes it.
void leave(int, siginfo_t*, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  blocked_at_home = blocked_signals_of(interrupted);
  ucontext_t* const copy = TravellingContext::put(interrupted, room);
  is_there.store(true);
  while (!is_back.load())
    ;
  adapt(*copy, blocked_at_home, {signal_memory, 0, sizeof signal_memory});
  hetmp_resume_context(copy);
}

/// On the carrier, with the thread's variables: the thread is to go home.
__attribute__((no_stack_protector)) void send_home(int, siginfo_t*, void* context) {
  TravellingContext::put(*static_cast<ucontext_t*>(context), room);
  hetmp_leave_context(&carriers_place, carriers_pointer);
}

void set(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  ASSERT_EQ(sigaction(number, &action, nullptr), 0);
}

uintptr_t travellers_pointer = 0;
thread_local long own = 17;

__attribute__((target("avx2"), noinline)) void travel_with_vectors(pid_t& there) {
  typedef long Four __attribute__((vector_size(32)));
  Four a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  long double extended = 1.0L / 3;
  long in_register = 0x123456789;
  asm volatile("" : "+x"(a), "+x"(b), "+r"(in_register));
  long result = SYS_getpid;
  asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  const pid_t self = pid_t(result), home = thread_now();
  long sent = SYS_tgkill;
  asm volatile("syscall"
               : "+a"(sent), "+x"(a), "+x"(b), "+r"(in_register)
               : "D"(self), "S"(home), "d"(SIGUSR1)
               : "rcx", "r11", "memory");
  there = thread_now();
  own += 1;
  a = a + b;
  const int mode = fegetround();
  sent = SYS_tgkill;
  asm volatile("syscall"
               : "+a"(sent), "+x"(a), "+x"(b), "+r"(in_register)
               : "D"(self), "S"(there), "d"(SIGUSR2)
               : "rcx", "r11", "memory");
  EXPECT_EQ(thread_now(), home);
  EXPECT_EQ(in_register, 0x123456789);
  EXPECT_EQ(mode, FE_UPWARD);
  EXPECT_EQ(fegetround(), FE_UPWARD);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(a[i], 6 + 2 * i);
    EXPECT_EQ(b[i], 5 + i);
  }
  EXPECT_EQ(extended, 1.0L / 3);
}

TEST(TravellingContext, GoesToAnotherThreadAndBack) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer calls signal handlers later, with another context";
#endif
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "no AVX2";
  const UseSignalStack here;
  set(SIGUSR1, leave);
  set(SIGUSR2, send_home);
  travellers_pointer = thread_pointer();
  std::thread carrier([] { // it executes what lies between the traveller's two signals
    const UseSignalStack here;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    carriers_pointer = thread_pointer();
    while (!is_there.load())
      ;
    auto* const context = reinterpret_cast<ucontext_t*>(room);
    adapt(*context, ~bit_of(SIGUSR2), {signal_memory, 0, sizeof signal_memory});
    hetmp_enter_context(context, travellers_pointer, &carriers_place);
    EXPECT_EQ(own, 17) << "its own variable again";
    is_back.store(true);
  });
  const int mode = fegetround();
  fesetround(FE_UPWARD);
  pid_t there = 0;
  travel_with_vectors(there);
  fesetround(mode);
  carrier.join();
  EXPECT_NE(there, gettid());
  EXPECT_EQ(own, 18);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_FALSE(sigismember(&now, SIGTERM)) << "as it was before";
}

TEST(TravellingContext, RefusesStatesThatItDoesNotKnow) {
  ucontext_t context;
  memset(&context, 0, sizeof context);
  EXPECT_FALSE(TravellingContext::bytes(context)) << "none";
  alignas(64) char state[1024] = {};
  context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state);
  EXPECT_FALSE(TravellingContext::bytes(context)) << "the oldest";
  const uint32_t magic = 0x46505853;
  memcpy(state + 464, &magic, sizeof magic);
  for (const uint32_t bytes : {0u, 511u, uint32_t(context_room), 16384u, UINT32_MAX}) {
    memcpy(state + 468, &bytes, sizeof bytes);
    EXPECT_FALSE(TravellingContext::bytes(context)) << bytes;
  }
  const uint32_t usual = 836;
  memcpy(state + 468, &usual, sizeof usual);
  EXPECT_TRUE(TravellingContext::bytes(context));
}

} // namespace
} // namespace hetmp::dsm
