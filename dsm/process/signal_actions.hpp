// What signals do is the program's business and so the same on all nodes: a thread gets its handler wherever it runs.
// Signals from outside (base/signal_calls.hpp) are the origin's: other nodes remember what the program has set for
// them, and ignore them.
#pragma once

#include "base/signal_calls.hpp"
#include "dsm/process/changes.hpp"

namespace hetmp::dsm {

/// How the origin's process sets an action: the runtime's way, if it has one. Before there is more than one process.
void set_signals_by(SetAction set);

/// In a process that has become a node other than the origin. `by_launcher`: launchers send what they forward to all
/// nodes.
void leave_signals_to_origin(bool by_launcher);

/// As sigaction(), on all nodes. Any thread but the service thread, also inside signal handlers. In a child process,
/// and as long as there is one node, for this process alone.
int set_action_everywhere(int number, const struct sigaction* action, struct sigaction* before);

/// On this node; the change is of kind SetAction. Returns 0 or an errno value.
int carry_out_action(const Change& change);

/// Whether the program has a handler for the signal, by what this node knows.
bool has_handler(int number);

} // namespace hetmp::dsm
