// What the program sets for a signal holds on all nodes, by whichever call (signal_actions).
#include "dsm/process/signal_actions.hpp"

using hetmp::SignalHandler;
using hetmp::dsm::set_action_everywhere;

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  return set_action_everywhere(number, action, before);
}

SignalHandler signal(int number, SignalHandler handler) noexcept {
  return hetmp::set_as_bsd(set_action_everywhere, number, handler);
}

SignalHandler bsd_signal(int number, SignalHandler handler) { return signal(number, handler); }

SignalHandler ssignal(int number, SignalHandler handler) noexcept { return signal(number, handler); }

SignalHandler sysv_signal(int number, SignalHandler handler) noexcept {
  return hetmp::set_as_system_v(set_action_everywhere, number, handler);
}

SignalHandler __sysv_signal(int number, SignalHandler handler) noexcept { return sysv_signal(number, handler); }

SignalHandler sigset(int number, SignalHandler handler) noexcept {
  return hetmp::set_as_sigset(set_action_everywhere, number, handler);
}

int sigignore(int number) noexcept { return hetmp::ignore_signal(set_action_everywhere, number); }

int siginterrupt(int number, int interrupts) noexcept {
  return hetmp::let_interrupt(set_action_everywhere, number, interrupts);
}

} // extern "C"
#pragma GCC visibility pop
