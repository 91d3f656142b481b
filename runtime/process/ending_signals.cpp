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

pid_t this_process() { return pid_t(syscall(SYS_getpid)); }

void wait_at_most(const FutexWord& word, uint32_t expected, int64_t nanoseconds) {
  const int64_t deadline = monotonic_ns() + nanoseconds;
  // acquire: pairs with the release in LastWords::say(); for the rest nobody writes the word.
  for (int64_t left = nanoseconds; word.load(std::memory_order_acquire) == expected && left > 0;
       left = deadline - monotonic_ns()) {
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    futex_wait(word, expected, FutexScope::Process, &timeout);
  }
}

/// The process whose signals are taken, and what it says before one ends it.
class LastWords {
 public:
  /// Takes no signal yet.
  bool prepare(void (*words)());
  void take_signals() { owner_.store(this_process(), std::memory_order_relaxed); } // relaxed: see is_owner()
  void leave_signals() { owner_.store(0, std::memory_order_relaxed); }             // relaxed: see is_owner()
  bool has_owner() const { return owner_.load(std::memory_order_relaxed) != 0; }   // relaxed: see is_owner()
  /// Whether the calling process is. relaxed: set before any of the signals is taken.
  bool is_owner() const { return owner_.load(std::memory_order_relaxed) == this_process(); }

  /// By the handler.
  void meet(int number);
  /// The signal that the program has met; the first one.
  int wait_for_signal() const;
  void say();
  void wait_until_said() const { wait_at_most(said_, 0, patience_ns); }
  /// For a while, where nothing is to be interrupted.
  void hold() const { wait_at_most(never_, 0, hold_ns); }

 private:
  std::atomic<pid_t> owner_{0}; ///< relaxed: see is_owner()
  FutexWord met_{0};            ///< the signal that ends the program, 0: none yet
  FutexWord said_{0};           ///< the last words have been said
  FutexWord never_{0};
  void (*words_)() = nullptr;
};

constinit LastWords last_words;

struct sigaction default_action() {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  return action;
}

/// The handler. In a process that is not the owner, which has inherited it, the default action follows when it returns.
void meet(int number) {
  const int error = errno;
  if (!last_words.is_owner()) {
    const struct sigaction action = default_action();
    system_sigaction(number, &action, nullptr);
    syscall(SYS_tgkill, this_process(), syscall(SYS_gettid), number);
  } else {
    last_words.meet(number);
    last_words.hold();
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
  return last_words.is_owner() && std::find(std::begin(ending), std::end(ending), number) != std::end(ending);
}

[[noreturn]] void die_by(int number) {
  const struct sigaction action = default_action();
  system_sigaction(number, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(this_process(), number);
  last_words.hold();
  _exit(128 + number); // the program was quicker, and has set something else
}

void LastWords::meet(int number) {
  uint32_t none = 0;
  met_.compare_exchange_strong(none, uint32_t(number), std::memory_order_release); // pairs with wait_for_signal()
  futex_wake(met_, 1);
}

int LastWords::wait_for_signal() const {
  uint32_t number;
  while ((number = met_.load(std::memory_order_acquire)) == 0) // pairs with the release in meet()
    futex_wait(met_, 0);
  return int(number);
}

void LastWords::say() {
  const PrivateSection here;
  words_();
  said_.store(1, std::memory_order_release); // pairs with the acquire in wait_at_most()
  futex_wake(said_, 1);
}

void* say_last_words(void*) {
  last_words.say();
  return nullptr;
}

void* watch(void*) {
  prctl(PR_SET_NAME, "hetmp-last-words");
  const int number = last_words.wait_for_signal();
  // A thread of their own: whatever they wait for, this one does not.
  if (make_posix_thread(say_last_words, nullptr, stack_bytes) == 0)
    last_words.wait_until_said();
  die_by(number);
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

bool LastWords::prepare(void (*words)()) {
  words_ = words;
  return start_watching();
}

} // namespace

void take_ending_signals(void (*words)(), bool asked_here) {
  constexpr pid_t init = 1; // the kernel spares it what it has no handler for
  if (!asked_here || this_process() == init)
    return;
  if (!last_words.prepare(words))
    return;
  last_words.take_signals();
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
  if (!last_words.has_owner())
    return;
  const struct sigaction action = default_action();
  for (const int number : ending) {
    struct sigaction now = {};
    if (system_sigaction(number, nullptr, &now) == 0 && now.sa_handler == meet)
      system_sigaction(number, &action, nullptr);
  }
  last_words.leave_signals();
}

} // namespace hetmp::runtime
