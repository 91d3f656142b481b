#include "base/signal_calls.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>

extern "C" int __sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept;

namespace hetmp {
namespace {

std::atomic<uint64_t> interrupting{0}; // bit i: signal i + 1 interrupts system calls; relaxed: orders nothing else

uint64_t bit_of(int number) { return uint64_t(1) << (number - 1); }

bool is_signal(int number) { return number >= 1 && number < NSIG; }

SignalHandler refuse() {
  errno = EINVAL;
  return SIG_ERR;
}

SignalHandler set_handler(SetAction set, int number, SignalHandler handler, int flags, bool masks_itself) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (masks_itself)
    sigaddset(&action.sa_mask, number);
  return set(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/// What sigset() returns of a signal that was blocked.
SignalHandler held() { return SIG_HOLD; }

} // namespace

int system_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return __sigaction(number, action, before);
}

SignalHandler set_as_bsd(SetAction set, int number, SignalHandler handler) {
  if (handler == SIG_ERR || !is_signal(number))
    return refuse();
  const bool interrupts = interrupting.load(std::memory_order_relaxed) & bit_of(number);
  return set_handler(set, number, handler, interrupts ? 0 : SA_RESTART, true);
}

SignalHandler set_as_system_v(SetAction set, int number, SignalHandler handler) {
  if (handler == SIG_ERR || !is_signal(number))
    return refuse();
  return set_handler(set, number, handler, int(SA_RESETHAND | SA_NODEFER), false);
}

SignalHandler set_as_sigset(SetAction set, int number, SignalHandler handler) {
  if (handler == SIG_ERR || !is_signal(number))
    return refuse();
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, number);
  SignalHandler last = SIG_ERR;
  if (handler == held()) {
    struct sigaction now = {};
    if (pthread_sigmask(SIG_BLOCK, &only, &before) != 0 || set(number, nullptr, &now) != 0)
      return SIG_ERR;
    last = now.sa_handler;
  } else {
    last = set_handler(set, number, handler, 0, false);
    if (last == SIG_ERR || pthread_sigmask(SIG_UNBLOCK, &only, &before) != 0)
      return SIG_ERR;
  }
  return sigismember(&before, number) == 1 ? held() : last;
}

int ignore_signal(SetAction set, int number) {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  return set(number, &action, nullptr);
}

int let_interrupt(SetAction set, int number, int interrupts) {
  struct sigaction action = {};
  if (set(number, nullptr, &action) != 0)
    return -1;
  if (interrupts) {
    interrupting.fetch_or(bit_of(number), std::memory_order_relaxed);
    action.sa_flags &= ~SA_RESTART;
  } else {
    interrupting.fetch_and(~bit_of(number), std::memory_order_relaxed);
    action.sa_flags |= SA_RESTART;
  }
  return set(number, &action, nullptr);
}

} // namespace hetmp
