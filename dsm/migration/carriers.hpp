// Threads of a node that is not the origin, which execute contexts of the origin's threads (travel.hpp).
#pragma once

#include "base/futex.hpp"
#include "dsm/migration/closed_memory.hpp"
#include "dsm/migration/contexts/signal_stacks.hpp"
#include "dsm/migration/contexts/signal_timer.hpp"
#include "dsm/migration/gates.hpp"
#include "dsm/migration/journeys/denied_cpu.hpp"
#include "dsm/migration/journeys/travel.hpp"
#include "dsm/migration/memory_abroad.hpp"
#include "dsm/space/address_plan.hpp"

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace hetmp::dsm {

class Carriers;

class Carrier {
 public:
  /// `host`: see MemoryAbroad.
  Carrier(Carriers& all, Host* host) : all_(all), host_(host) {}

  /// The thread's body.
  void run();

  /// Service thread: whether it was free, and now executes the context.
  bool take(const DepartureMessage& departure);
  /// Service thread: its guest, if it is this one, is to go home.
  void call_home(uint64_t deputy) const;
  /// Any thread, also in a handler: whoever is its guest is to go home.
  void call_home() const;
  /// Service thread: its guest, if it is this one, may go home, or is to.
  void invite_home(uint64_t deputy, Invitation invitation) const;

  /// By its own thread, as itself: the guest's deputy makes the call that the host has, whose answer it has then.
  /// False: the guest is wanted at home; there the answer will be.
  bool ask_deputy();
  /// Service thread. Its guest, or one that has left, has asked.
  void answered(const GuestAnswer& answer);
  bool has_host() const { return host_ != nullptr; }

  bool is_on_signal_stack(const void* address) const { return signal_stack_.holds(address); }
  /// Any thread: whose deputy; UINT64_MAX: it has no guest. A hint, therefore relaxed.
  uint64_t deputy() const { return deputy_.load(std::memory_order_relaxed); }
  /// Likewise: whether it has a guest that waits for nobody, and is not about to make room for another one.
  bool is_at_work() const {
    return deputy() != UINT64_MAX && !waits_.load(std::memory_order_relaxed) &&
           !makes_room_.load(std::memory_order_relaxed);
  }
  /// In a handler on its signal stack, maybe with the guest's variables. False: it has no guest.
  bool meet_signal(int number, ucontext_t& interrupted);

 private:
  static constexpr uint32_t idle = 0, taken = 1;

  void carry();
  bool loses(int64_t now_ns) const;
  bool is_better_off_at_home() const;
  void ask_for_look() const;
  int64_t computed_ns() const;
  int64_t abroad_ns(int64_t now_ns) const;
  FaultCounters received() const;
  [[noreturn]] void send_home(const ucontext_t& interrupted, Homecoming why);

  Carriers& all_;
  Host* const host_;
  SignalStack signal_stack_;
  SignalTimer timer_;
  uintptr_t own_pointer_ = 0;
  std::atomic<pid_t> thread_{0}; ///< relaxed: final before it is idle for the first time
  /// Written by the service thread with the guest, then by the thread when that has left: release, acquire.
  FutexWord state_{taken};
  DepartureMessage guest_{};
  std::atomic<uint64_t> deputy_{UINT64_MAX}; ///< of the guest; relaxed: a hint
  mutable std::atomic<bool> called_{false};  ///< relaxed: the signal that follows makes the thread look
  /// relaxed: likewise. Taken back by the handler
  mutable std::atomic<bool> invited_{false};
  mutable std::atomic<bool> makes_room_{false}; ///< relaxed: likewise; as is_at_work() sees it, a hint
  volatile bool carries_ = false;               ///< the context is the guest's; read in its handler
  uintptr_t place_ = 0;                         ///< of its own context, see hetmp_enter_context()
  int64_t began_ns_ = 0, cpu_before_ns_ = 0, faults_before_ = 0;
  FaultCounters before_; ///< of the node, when the guest came
  DeniedCpu denied_cpu_;
  int64_t denied_ns_ = 0;          ///< of its guest's time, by others than its node
  int64_t in_calls_ns_ = 0;        ///< of its guest's time, in calls that the deputy made, but for what those cost
  int64_t calls_cpu_ns_ = 0;       ///< of its thread's CPU time, for those
  int64_t meetings_ = 0;           ///< of those, barriers
  int64_t cost_at_home_ns_ = 0;    ///< of its guest's stay so far, as its deputy has said last
  FutexWord answered_{0};          ///< 1: the answer is there: released by the service thread, acquired by the carrier
  std::atomic<bool> waits_{false}; ///< for an answer; relaxed: a hint
  HomecomingMessage outcome_{};
};

class Carriers {
 public:
  /// Of the node. Any thread.
  using ReadFaults = void (*)(FaultCounters* counters);

  /// How many guests there may be for each one that is at work: the others wait for their teams.
  static constexpr uint32_t guests_for_one = 4;

  /// On a node that is not the origin, before it serves: makes the threads; `count`: as many as shall work at a time,
  /// one for each CPU.
  void set_up(const Gates& gates, ClosedMemory& closed, MemoryAbroad& memory, TravelMessages& messages,
              ReadFaults read_faults, uint32_t count, void (*create_thread)(void* (*body)(void*), void* argument));

  enum class Taken : uint8_t { Yes, No, Impossible };
  /// Service thread. Impossible: what the message says cannot be.
  Taken departed(uint32_t from, const DepartureMessage& departure);
  /// Likewise false.
  bool call_home(uint32_t from, uint64_t deputy) const;
  bool invite_home(uint32_t from, uint64_t deputy, Invitation invitation) const;
  /// False: nobody has asked, any more.
  bool answered(uint64_t deputy, const GuestAnswer& answer) const;

  /// Signals whose actions on this node are the carriers'. What the program sets for them is kept here.
  static bool takes(int number);
  int set_action(int number, const struct sigaction* action, struct sigaction* before);
  /// How many have guests that do not wait for their deputies. Any thread.
  uint32_t at_work() const;
  bool exist() const { return !carriers_.empty(); }

 private:
  friend class Carrier;
  static void on_signal(int number, siginfo_t* info, void* context);
  void meet_closed_memory() const;
  void pass_on(int number, siginfo_t* info, void* context) const;

  const Gates* gates_ = nullptr;
  ClosedMemory* closed_ = nullptr;
  TravelMessages* messages_ = nullptr;
  ReadFaults read_faults_ = nullptr;
  uint32_t most_at_work_ = 0;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  struct sigaction programs_[NSIG] = {};
};

} // namespace hetmp::dsm
