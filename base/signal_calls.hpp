// The system's sigaction(), and all older ways to set what a signal does, in its terms: for libraries that interpose
// them. Safe inside signal handlers, as sigaction() is.
#pragma once

#include <csignal>

namespace hetmp {

using SignalHandler = void (*)(int);
/// As sigaction().
using SetAction = int (*)(int number, const struct sigaction* action, struct sigaction* before);

/// The C library's own, whoever interposes the name.
int system_sigaction(int number, const struct sigaction* action, struct sigaction* before);

/// Of signals that end a process or stop it, those that come from a terminal, a launcher or a batch system to all
/// processes of a job and are meant for the program, which is one.
inline constexpr int signals_from_outside[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP};

/// signal() as in BSD and by default in Linux: stays set, system calls begin again.
SignalHandler set_as_bsd(SetAction set, int number, SignalHandler handler);
/// signal() as in System V: for one signal.
SignalHandler set_as_system_v(SetAction set, int number, SignalHandler handler);
SignalHandler set_as_sigset(SetAction set, int number, SignalHandler handler);
int ignore_signal(SetAction set, int number);
/// siginterrupt(); later calls of set_as_bsd() heed it.
int let_interrupt(SetAction set, int number, int interrupts);

} // namespace hetmp
