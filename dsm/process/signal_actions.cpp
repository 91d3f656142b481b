#include "dsm/process/signal_actions.hpp"

#include "dsm/process/node_process.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

namespace hetmp::dsm {
namespace {

SetAction set_here = system_sigaction;

/// Actions that are another node's to carry out. Written by the service thread and by threads of the program; relaxed:
/// a program that sets and asks at the same time may be told parts of both.
struct Remembered {
  std::atomic<bool> is_left{false}; ///< final before the node begins to serve; relaxed: its threads are made later
  std::atomic<SignalHandler> handler{SIG_DFL}; ///< relaxed, see above
  std::atomic<int> flags{0};                   ///< relaxed, see above
  std::atomic<uint64_t> mask{0};               ///< relaxed, see above
};
Remembered remembered[NSIG];

bool is_left_to_origin(int number) {
  return number > 0 && number < NSIG && remembered[number].is_left.load(std::memory_order_relaxed);
}

/// The kernel's 64 signals lie in the first word of the C library's set.
uint64_t word_of(const sigset_t& set) {
  uint64_t word;
  memcpy(&word, &set, sizeof word);
  return word;
}

sigset_t set_of(uint64_t word) {
  sigset_t set;
  sigemptyset(&set);
  memcpy(&set, &word, sizeof word);
  return set;
}

struct sigaction action_of(SignalHandler handler, int flags, uint64_t mask) {
  struct sigaction action = {};
  action.sa_handler = handler; // of one size and at one place with sa_sigaction
  action.sa_flags = flags;
  action.sa_mask = set_of(mask);
  return action;
}

void remember(int number, const struct sigaction& action) {
  Remembered& here = remembered[number];
  here.handler.store(action.sa_handler, std::memory_order_relaxed);
  here.flags.store(action.sa_flags, std::memory_order_relaxed);
  here.mask.store(word_of(action.sa_mask), std::memory_order_relaxed);
}

/// Signals that thread migration uses.
std::optional<int> set_beside_migration(int number, const struct sigaction* action, struct sigaction* before) {
  NodeProcess* const process = NodeProcess::instance();
  if (!process || number <= 0 || number >= NSIG)
    return {};
  if (process->node() == origin) {
    if (action && number == travel_signal())
      process->migration().deputies().stay_at_home();
    return {};
  }
  if (!process->migration().carriers().exist() || !Carriers::takes(number))
    return {};
  return process->migration().carriers().set_action(number, action, before);
}

int set_on_this_node(int number, const struct sigaction* action, struct sigaction* before) {
  if (const auto result = set_beside_migration(number, action, before))
    return *result;
  if (!is_left_to_origin(number))
    return set_here(number, action, before);
  const Remembered& here = remembered[number];
  if (before)
    *before = action_of(here.handler.load(std::memory_order_relaxed), here.flags.load(std::memory_order_relaxed),
                        here.mask.load(std::memory_order_relaxed));
  if (action)
    remember(number, *action);
  return 0;
}

} // namespace

void set_signals_by(SetAction set) { set_here = set; }

void leave_signals_to_origin(bool by_launcher) {
  const auto leave = [](int number, struct sigaction seen) {
    remember(number, seen);
    remembered[number].is_left.store(true, std::memory_order_relaxed);
    ignore_signal(system_sigaction, number);
  };
  const auto action_now = [by_launcher](int number) {
    struct sigaction now = {};
    set_here(number, nullptr, &now);
    // That this node ignores it is then the launcher's doing, not the user's.
    return by_launcher && now.sa_handler == SIG_IGN ? action_of(SIG_DFL, 0, 0) : now;
  };
  for (const int number : signals_from_outside)
    leave(number, action_now(number));
  for (const int number : {SIGUSR1, SIGUSR2}) {
    struct sigaction now = {};
    if (by_launcher && set_here(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      leave(number, action_now(number));
  }
}

int set_action_everywhere(int number, const struct sigaction* action, struct sigaction* before) {
  NodeProcess* process = NodeProcess::instance();
  // A child that is about to execute something sets its own signals.
  const bool is_node = process && process->has_started() && process->is_this_process();
  if (!action || !is_node)
    return is_node ? set_on_this_node(number, action, before) : set_here(number, action, before);
  const struct sigaction wanted = *action; // `before` may be the same object
  const int result = set_on_this_node(number, &wanted, before);
  if (result != 0)
    return result;
  const int error = errno;
  change_elsewhere({.kind = Change::Kind::SetAction,
                    .protection = number,
                    .flags = wanted.sa_flags,
                    .begin = reinterpret_cast<uintptr_t>(wanted.sa_handler),
                    .bytes = word_of(wanted.sa_mask)});
  errno = error;
  return 0;
}

int carry_out_action(const Change& change) {
  const struct sigaction action = action_of(reinterpret_cast<SignalHandler>(change.begin), change.flags, change.bytes);
  return set_on_this_node(change.protection, &action, nullptr) == 0 ? 0 : errno;
}

bool has_handler(int number) {
  struct sigaction now = {};
  return set_on_this_node(number, nullptr, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
}

} // namespace hetmp::dsm
