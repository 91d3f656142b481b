// The signal by which threads look whether they should leave, and what the program sets for it.
#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/deputies.hpp"

#include <cstring>

namespace hetmp::dsm {

int travel_signal() { return SIGRTMAX - 2; }

/// As if there were no migration.
void Deputies::pass_on(int number, siginfo_t* info, void* context) {
  const int flags = programs_flags_.load(std::memory_order_relaxed);
  struct sigaction programs = {};
  programs.sa_handler = programs_handler_.load(std::memory_order_relaxed);
  const SignalHandler handler = programs.sa_handler;
  if (handler == SIG_IGN)
    return;
  if (handler == SIG_DFL) {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    system_sigaction(number, &usual, nullptr);
    raw::call(SYS_tgkill, raw::call(SYS_getpid), raw::call(SYS_gettid), number); // it ends the process after this
    return;
  }
  if (flags & SA_RESETHAND)
    programs_handler_.store(SIG_DFL, std::memory_order_relaxed);
  if (flags & SA_SIGINFO)
    return programs.sa_sigaction(number, info, context);
  handler(number);
}

int Deputies::set_action(const struct sigaction* action, struct sigaction* before) {
  if (!owns_signal_)
    return system_sigaction(travel_signal(), action, before);
  struct sigaction known = {};
  known.sa_handler = programs_handler_.load(std::memory_order_relaxed);
  known.sa_flags = programs_flags_.load(std::memory_order_relaxed);
  const uint64_t mask = programs_mask_.load(std::memory_order_relaxed);
  memcpy(&known.sa_mask, &mask, sizeof mask);
  if (action) {
    if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)
      closed_.store(true, std::memory_order_relaxed); // who is away comes home without the signal
    uint64_t wanted;
    memcpy(&wanted, &action->sa_mask, sizeof wanted);
    programs_flags_.store(action->sa_flags, std::memory_order_relaxed);
    programs_mask_.store(wanted, std::memory_order_relaxed);
    programs_handler_.store(action->sa_handler, std::memory_order_relaxed);
    if (closed_.load(std::memory_order_relaxed)) {
      struct sigaction own = *action;
      own.sa_sigaction = on_signal;
      own.sa_flags = (action->sa_flags & ~int(SA_RESETHAND)) | SA_SIGINFO; // a timer's signal shall reset nothing
      if (system_sigaction(travel_signal(), &own, nullptr) != 0)
        return -1;
    }
  }
  if (before)
    *before = known;
  return 0;
}

} // namespace hetmp::dsm
