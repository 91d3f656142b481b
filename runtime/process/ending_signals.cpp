#include "runtime/process/ending_signals.hpp"

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/private_section.hpp"
#include "base/signal_calls.hpp"
#include "runtime/process/thread_factory.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hetmp::runtime {
namespace {

constexpr int ending[] = {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGXCPU};
/// The thread that met the signal waits, so that nothing it does is interrupted; but it may hold a lock that the last
/// words need.
constexpr int64_t hold_ns = 300'000'000;
constexpr int64_t patience_ns = 4'000'000'000; // last words that wait for nodes that do not answer
constexpr size_t stack_bytes = size_t(1) << 20;

std::atomic<pid_t> owner{0}; ///< the process whose signals are taken; relaxed: set before any of them is
FutexWord met{0};            ///< the signal that ends the program, 0: none yet
FutexWord said{0};           ///< the last words have been said
FutexWord never{0};
void (*words)();

pid_t this_process() { return pid_t(syscall(SYS_getpid)); }

void wait_at_most(const FutexWord& word, uint32_t expected, int64_t nanoseconds) {
  const int64_t deadline = monotonic_ns() + nanoseconds;
  // acquire: pairs with the release in say_last_words(); nobody writes `never`.
  for (int64_t left = nanoseconds; word.load(std::memory_order_acquire) == expected && left > 0;
       left = deadline - monotonic_ns()) {
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    futex_wait(word, expected, FutexScope::Process, &timeout);
  }
}

struct sigaction default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  return action;
}

/// The handler. In a process that is not the owner, which has inherited it, the default action follows when it returns.
void meet(int number) {
  const int error = errno;
  if (this_process() != owner.load(std::memory_order_relaxed)) {
    const struct sigaction action = default_action();
    system_sigaction(number, &action, nullptr);
    syscall(SYS_tgkill, this_process(), syscall(SYS_gettid), number);
  } else {
    uint32_t none = 0;
    met.compare_exchange_strong(none, uint32_t(number), std::memory_order_release); // pairs with the acquire in watch()
    futex_wake(met, 1);
    wait_at_most(never, 0, hold_ns);
  }
  errno = error;
}

struct sigaction own_action() {
  struct sigaction action = {};
  action.sa_handler = meet;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return action;
}

bool is_taken(int number) {
  return owner.load(std::memory_order_relaxed) == this_process() &&
         std::find(std::begin(ending), std::end(ending), number) != std::end(ending);
}

[[noreturn]] void die_by(int number) {
  const struct sigaction action = default_action();
  system_sigaction(number, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(this_process(), number);
  wait_at_most(never, 0, hold_ns);
  _exit(128 + number); // the program was quicker, and has set something else
}

void* say_last_words(void*) {
  const PrivateSection here;
  words();
  said.store(1, std::memory_order_release); // pairs with the acquire in wait_at_most()
  futex_wake(said, 1);
  return nullptr;
}

void* watch(void*) {
  prctl(PR_SET_NAME, "hetmp-last-words");
  uint32_t number;
  while ((number = met.load(std::memory_order_acquire)) == 0) // pairs with the release in meet()
    futex_wait(met, 0);
  // A thread of their own: whatever they wait for, this one does not.
  if (make_posix_thread(say_last_words, nullptr, stack_bytes) == 0)
    wait_at_most(said, 0, patience_ns);
  die_by(int(number));
}

bool start_watching() {
  const PrivateSection here;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // inherited by the thread, and by the one that it makes
  const int error = make_posix_thread(watch, nullptr, stack_bytes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0;
}

} // namespace

void take_ending_signals(void (*last_words)(), bool asked_here) {
  constexpr pid_t init = 1; // the kernel spares it what it has no handler for
  if (!asked_here || this_process() == init)
    return;
  words = last_words;
  if (!start_watching())
    return;
  owner.store(this_process(), std::memory_order_relaxed);
  for (const int number : ending) {
    struct sigaction now = {};
    const struct sigaction action = own_action();
    if (system_sigaction(number, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
      system_sigaction(number, &action, nullptr);
  }
}

int program_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  const bool is_default = action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
  const struct sigaction own = own_action();
  const int result = system_sigaction(number, is_default && is_taken(number) ? &own : action, before);
  if (result == 0 && before && before->sa_handler == meet)
    *before = default_action();
  return result;
}

void forget_ending_signals() {
  if (owner.load(std::memory_order_relaxed) == 0)
    return;
  const struct sigaction action = default_action();
  for (const int number : ending) {
    struct sigaction now = {};
    if (system_sigaction(number, nullptr, &now) == 0 && now.sa_handler == meet)
      system_sigaction(number, &action, nullptr);
  }
  owner.store(0, std::memory_order_relaxed);
}

} // namespace hetmp::runtime
