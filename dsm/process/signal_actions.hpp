// What signals do is the program's business and so the same on all nodes: a thread gets its handler wherever it runs.
// Signals from outside (base/signal_calls.hpp) are the origin's: other nodes remember what the program has set for
// them, and ignore them.
#pragma once

#include "base/signal_calls.hpp"
#include "dsm/process/changes.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>

namespace hetmp::dsm {

class NodeProcess;

/// What a node process remembers of signals whose actions are the origin's to carry out. Written by the service thread
/// and by threads of the program; relaxed: a program that sets and asks at the same time may be told parts of both.
class LeftActions {
 public:
  bool has(int number) const {
    return number > 0 && number < NSIG && actions_[number].is_left.load(std::memory_order_relaxed);
  }
  /// Before the node begins to serve: the signal, whose action was `seen`, is one of them.
  void leave(int number, const struct sigaction& seen);
  /// As sigaction(), of one of them.
  int set(int number, const struct sigaction* action, struct sigaction* before);

 private:
  struct Action {
    std::atomic<bool> is_left{false}; ///< final before the node begins to serve; relaxed: its threads are made later
    std::atomic<SignalHandler> handler{SIG_DFL}; ///< relaxed, see above
    std::atomic<int> flags{0};                   ///< relaxed, see above
    std::atomic<uint64_t> mask{0};               ///< relaxed, see above
  };
  void remember(int number, const struct sigaction& action);

  Action actions_[NSIG];
};

/// In a process that has become a node other than the origin. `by_launcher`: launchers send what they forward to all
/// nodes.
void leave_signals_to_origin(NodeProcess& process, bool by_launcher);

/// As sigaction(), on all nodes. Any thread but the service thread, also inside signal handlers. In a child process,
/// and as long as there is one node, for this process alone.
int set_action_everywhere(int number, const struct sigaction* action, struct sigaction* before);

/// On this node; the change is of kind SetAction. Returns 0 or an errno value.
int carry_out_action(const Change& change);

/// Whether the program has a handler for the signal, by what this node knows.
bool has_handler(int number);

} // namespace hetmp::dsm
