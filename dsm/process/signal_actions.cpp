#include "dsm/process/signal_actions.hpp"

#include "dsm/process/node_process.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

namespace hetmp::dsm {
namespace {

/// How this process sets an action: the runtime's way, if it has one.
int set_here(int number, const struct sigaction* action, struct sigaction* before) {
  const NodeProcess* process = NodeProcess::instance();
  const SetAction runtimes = process ? process->runtimes_sigaction() : nullptr;
  return (runtimes ? runtimes : system_sigaction)(number, action, before);
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

/// Signals that thread migration uses.
std::optional<int> set_beside_migration(NodeProcess& process, int number, const struct sigaction* action,
                                        struct sigaction* before) {
  if (number <= 0 || number >= NSIG)
    return {};
  if (process.node() == origin) {
    if (number != travel_signal())
      return {};
    return process.migration().deputies().set_action(action, before);
  }
  if (!process.migration().carriers().exist() || !Carriers::takes(number))
    return {};
  return process.migration().carriers().set_action(number, action, before);
}

int set_on_this_node(NodeProcess& process, int number, const struct sigaction* action, struct sigaction* before) {
  if (const auto result = set_beside_migration(process, number, action, before))
    return *result;
  LeftActions& left = process.left_actions();
  return left.has(number) ? left.set(number, action, before) : set_here(number, action, before);
}

} // namespace

void LeftActions::leave(int number, const struct sigaction& seen) {
  remember(number, seen);
  actions_[number].is_left.store(true, std::memory_order_relaxed);
}

void LeftActions::remember(int number, const struct sigaction& action) {
  Action& here = actions_[number];
  here.handler.store(action.sa_handler, std::memory_order_relaxed);
  here.flags.store(action.sa_flags, std::memory_order_relaxed);
  here.mask.store(word_of(action.sa_mask), std::memory_order_relaxed);
}

int LeftActions::set(int number, const struct sigaction* action, struct sigaction* before) {
  const Action& here = actions_[number];
  if (before)
    *before = action_of(here.handler.load(std::memory_order_relaxed), here.flags.load(std::memory_order_relaxed),
                        here.mask.load(std::memory_order_relaxed));
  if (action)
    remember(number, *action);
  return 0;
}

void leave_signals_to_origin(NodeProcess& process, bool by_launcher) {
  const auto leave = [&process](int number, struct sigaction seen) {
    process.left_actions().leave(number, seen);
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
    return is_node ? set_on_this_node(*process, number, action, before) : set_here(number, action, before);
  const struct sigaction wanted = *action; // `before` may be the same object
  const int result = set_on_this_node(*process, number, &wanted, before);
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
  return set_on_this_node(*NodeProcess::instance(), change.protection, &action, nullptr) == 0 ? 0 : errno;
}

bool has_handler(int number) {
  struct sigaction now = {};
  return set_on_this_node(*NodeProcess::instance(), number, nullptr, &now) == 0 && now.sa_handler != SIG_DFL &&
         now.sa_handler != SIG_IGN;
}

} // namespace hetmp::dsm
