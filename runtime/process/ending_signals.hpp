// A program that is ended by a signal from outside, or by a time limit, has a moment to tell what it knows. It does not
// see that anything was done for that: what it finds set for these signals is the default action, as it left it.
#pragma once

#include <csignal>

namespace hetmp::runtime {

/// From now on `last_words` is called, once, on an ordinary thread of its own, when SIGHUP, SIGINT, SIGTERM, SIGALRM or
/// SIGXCPU comes while its action is the default one; then the process dies by that signal, seconds later at most
/// whatever `last_words` waits for. What is ignored stays ignored. Does nothing if the program would notice:
/// `asked_here` says whether its calls of sigaction() and its like come to this library.
void take_ending_signals(void (*last_words)(), bool asked_here);

/// As sigaction(), for the program: tells and accepts the default action where this library has put its own in its
/// place.
int program_sigaction(int number, const struct sigaction* action, struct sigaction* before);

/// In a child of fork(): the default actions are what they seem.
void forget_ending_signals();

} // namespace hetmp::runtime
