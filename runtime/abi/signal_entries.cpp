// How the program sets what signals do, where it is to see its own settings only (core/ending_signals). These names are
// for programs that run, not for those that are linked: old_versions.ld gives them the C library's versions, which are
// no defaults.
#include "base/signal_calls.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/process/ending_signals.hpp"

using hetmp::SignalHandler;
using hetmp::runtime::program_sigaction;

HETMP_ENTRY int hetmp_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  return program_sigaction(number, action, before);
}
HETMP_ENTRY SignalHandler hetmp_signal(int number, SignalHandler handler) {
  return hetmp::set_as_bsd(program_sigaction, number, handler);
}
HETMP_ENTRY SignalHandler hetmp_sysv_signal(int number, SignalHandler handler) {
  return hetmp::set_as_system_v(program_sigaction, number, handler);
}
HETMP_ENTRY SignalHandler hetmp_sigset(int number, SignalHandler handler) {
  return hetmp::set_as_sigset(program_sigaction, number, handler);
}
HETMP_ENTRY int hetmp_sigignore(int number) { return hetmp::ignore_signal(program_sigaction, number); }
HETMP_ENTRY int hetmp_siginterrupt(int number, int interrupts) {
  return hetmp::let_interrupt(program_sigaction, number, interrupts);
}
