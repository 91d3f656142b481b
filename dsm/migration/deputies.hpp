// The origin's threads that may go on elsewhere (journeys/travel.hpp): all of their deputies.
#pragma once

#include "base/futex.hpp"
#include "base/signal_calls.hpp"
#include "dsm/fabric.hpp"
#include "dsm/migration/deputy.hpp"
#include "dsm/migration/gates.hpp"
#include "dsm/migration/journeys/travel.hpp"
#include "dsm/migration/journeys/travellers_pages.hpp"
#include "dsm/migration/portable_code.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>

namespace hetmp::dsm {

/// All of them. On the origin.
class Deputies {
 public:
  static constexpr uint64_t most = 1024; ///< threads that are told apart; a DepartureMessage has 16 bits for them

  /// Before there are other nodes.
  void prepare(const PortableCode& code, const Gates& gates) {
    code_ = &code;
    gates_ = &gates;
  }
  /// How many CPUs of this node have no thread at work; less than 0: so many threads have none. A hint.
  using FreeCpus = int64_t (*)();
  using ReadFaults = void (*)(FaultCounters* counters);
  /// When there are. False: the signal cannot be had, and nobody travels. Both: any thread, also in a handler.
  bool set_up(TravelMessages& messages, FreeCpus free_cpus, ReadFaults read_faults);

  void begin_journey(const Journey& journey);
  /// See Fabric, all.
  JourneyPart begin_part(const JourneyPart& part);
  void has_waited();
  bool may_depart(siginfo_t& signal) const;
  int64_t time_elsewhere() const;
  int64_t cost_at_home() const;
  static void task_is_over();
  void end_journey(JourneySeen& seen);

  /// Service thread. What the thread touches first at home; nothing: what the message says cannot be.
  std::optional<TravellersPages> came_home(uint32_t from, const HomecomingMessage& message);

  /// Service thread. False: what the message says cannot be.
  bool called(uint32_t from, uint64_t deputy, const GuestCall& call);
  /// To the last call that was made for the calling thread while it was away.
  const GuestAnswer& answer() const;

  /// sigaction() of the travel signal by the program. If it sets a handler, nobody departs any more.
  int set_action(const struct sigaction* action, struct sigaction* before);
  /// Nobody departs any more, and who is away has come home when this returns. Any thread that is at home but the
  /// service thread.
  void stay_at_home();
  /// Of a forked child: only the calling thread is there.
  void forget();

  /// Those that are away are called home.
  void call_home();
  /// A CPU at home is free: one of those that are executed elsewhere is told so, that with the next number after that
  /// of the last one.
  void invite_one_home();
  /// Of those that are executed elsewhere, and have not been asked to make room, the one that has had most CPU time
  /// since its journey began; null: there is none. A hint.
  Deputy* furthest() const;
  bool has_free_cpu() const { return free_cpus_() > 0; }
  bool is_crowded() const { return free_cpus_() < 0; }
  /// Of this node, so far.
  FaultCounters faults() const {
    FaultCounters counters;
    read_faults_(&counters);
    return counters;
  }
  /// Whether some may depart.
  bool may_depart() const { return !closed_.load(std::memory_order_relaxed); } // relaxed: a hint
  /// How many are away. A hint, therefore relaxed.
  uint32_t away() const { return away_.load(std::memory_order_relaxed); }
  /// How many of those have deputies that sleep, and make no call for them. A hint, therefore relaxed, both.
  uint32_t asleep() const {
    const uint32_t in_calls = in_calls_.load(std::memory_order_relaxed), all = away();
    return all - std::min(in_calls, all);
  }
  /// How many of those are executed on that node, or on their way there. A hint, therefore relaxed.
  uint32_t away_on(uint32_t node) const;
  /// How many stays have lost so far. A hint, likewise.
  uint64_t losses() const { return losses_.load(std::memory_order_relaxed); }
  /// Whether stays have lost since there were so many, and none was worth its way after that. Likewise.
  bool loses_since(uint64_t losses_before) const {
    return losses() > std::max(losses_before, made_up_for_.load(std::memory_order_relaxed));
  }
  /// Of the time of its threads, the last one that has looked: that they were denied the CPUs at home. Likewise.
  double denied_share() const { return denied_share_.load(std::memory_order_relaxed); }
  void tell_denied_share(double share) { denied_share_.store(share, std::memory_order_relaxed); } // likewise
  /// How often two threads have changed places. Likewise.
  uint64_t changes_of_places() const { return changes_.load(std::memory_order_relaxed); }
  void places_change() { changes_.fetch_add(1, std::memory_order_relaxed); } // likewise
  void stay_is_over(bool has_lost, bool was_worth_it) {
    if (has_lost)
      losses_.fetch_add(1, std::memory_order_relaxed); // hints, all
    else if (was_worth_it)
      made_up_for_.store(losses(), std::memory_order_relaxed);
  }
  /// Sleeps while nobody is away.
  void wait_for_departure();

 private:
  friend class Deputy;
  static void on_signal(int number, siginfo_t* info, void* context);
  void pass_on(int number, siginfo_t* info, void* context);
  Deputy* own();
  /// Whether one more may be away now.
  bool let_leave();

  const PortableCode* code_ = nullptr;
  const Gates* gates_ = nullptr;
  TravelMessages* messages_ = nullptr;
  FreeCpus free_cpus_ = nullptr;
  ReadFaults read_faults_ = nullptr;
  bool owns_signal_ = false; ///< final before there are journeys
  uint64_t invited_ = 0;     ///< who was, last; the watch's own
  /// Sequentially consistent with away_ where somebody waits until nobody is away; relaxed elsewhere.
  std::atomic<bool> closed_{true};
  std::atomic<uint64_t> count_{0};        ///< relaxed: only a number
  std::atomic<Deputy*> deputies_[most]{}; ///< released when made, acquired by who looks for one
  /// The program's action for the signal. relaxed: one that sets it while it is sent may see either.
  std::atomic<SignalHandler> programs_handler_{SIG_DFL};
  std::atomic<int> programs_flags_{0};     ///< relaxed, see above
  std::atomic<uint64_t> programs_mask_{0}; ///< relaxed, see above
  FutexWord away_{0};                      ///< how many are; relaxed: the watch looks again soon
  std::atomic<uint32_t> in_calls_{0};      ///< relaxed: a hint
  std::atomic<uint64_t> losses_{0};        ///< relaxed: a hint
  std::atomic<double> denied_share_{0};    ///< relaxed: likewise
  std::atomic<uint64_t> changes_{0};       ///< relaxed: likewise
  std::atomic<uint64_t> made_up_for_{0};   ///< so many of those; relaxed: likewise
};

} // namespace hetmp::dsm
