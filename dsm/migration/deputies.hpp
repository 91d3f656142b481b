// The origin's threads that may go on elsewhere (travel.hpp), and what of them stays.
#pragma once

#include "base/futex.hpp"
#include "base/signal_calls.hpp"
#include "dsm/fabric.hpp"
#include "dsm/migration/contexts/signal_stacks.hpp"
#include "dsm/migration/contexts/signal_timer.hpp"
#include "dsm/migration/gates.hpp"
#include "dsm/migration/journeys/departure_rule.hpp"
#include "dsm/migration/journeys/journey_allowance.hpp"
#include "dsm/migration/journeys/travel.hpp"
#include "dsm/migration/journeys/travellers_pages.hpp"
#include "dsm/migration/portable_code.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>

namespace hetmp::dsm {

class Deputies;

/// Of one thread. Where nothing else is said its thread's own, also in the signal's handler.
class Deputy {
 public:
  Deputy(Deputies& all, uint64_t number) : all_(all), number_(number) {}
  /// By its thread, once. False: it stays at home for good.
  bool set_up();

  void begin(const Journey& journey);
  /// Likewise. What the handler finds while it changes is of no use to it: it has interrupted code that is no
  /// program's.
  JourneyPart begin_part(const JourneyPart& part);
  /// At home.
  void has_waited();
  /// On a journey, at home, around a call that a signal would end: none comes. What hold_signals() has returned is for
  /// the end.
  int64_t hold_signals() { return timer_.stop(); }
  void let_signals_come(int64_t held) {
    if (held != 0 && is_on_journey())
      timer_.set(std::max(held, rule_.soonest_ns));
  }
  /// In the journey in hand.
  int64_t time_elsewhere() const { return seen_.abroad_ns; }
  void end(JourneySeen& seen);
  /// See Journey.
  void task_is_over() const { task_is_over_(); }

  /// On a journey, at home: whether it may leave at once.
  bool may_depart_now() const;
  /// The signal's handler. `asks`: the thread has sent it to itself.
  void meet_signal(ucontext_t& interrupted, bool asks);

  /// Service thread. What it touches first at home; nothing: it is not there, or not away.
  std::optional<TravellersPages> come_home(uint32_t from, const HomecomingMessage& message);
  /// Service thread: it is to make this call for its thread. False: that is not there.
  bool called(uint32_t from, const GuestCall& call);
  /// To its last call. By its thread, at home.
  const GuestAnswer& answer() const { return answer_; }
  bool is_on_journey() const { return inside_.load(std::memory_order_relaxed); } // relaxed: its own thread's

  /// Any thread: on which node it is; 0: at home. A hint.
  uint32_t node() const {
    const uint32_t where = where_.load(std::memory_order_relaxed); // relaxed, all: see above
    return where == away || where == calls ? node_.load(std::memory_order_relaxed) : 0;
  }

 private:
  static constexpr uint32_t at_home = 0, away = 1, back = 2, calls = 3, back_meanwhile = 4;

  bool may_leave(const ucontext_t& interrupted, bool asks) const;
  [[noreturn]] void travel(const ucontext_t& interrupted, bool asked);
  bool wait_while_away(void* thread, uint64_t blocked);
  void make_call(void* thread);
  double after_us() const;
  void have_short_turns(bool wanted);
  void plan_departure(double now_us);

  Deputies& all_;
  const uint64_t number_;
  SignalStack signal_stack_;
  SignalTimer timer_;
  bool usable_ = false;
  DepartureRule rule_;       ///< of departures at any time
  DepartureRule asked_rule_; ///< of those that the thread asks for
  JourneySeen seen_{};
  uintptr_t thread_pointer_ = 0;
  uintptr_t guard_ = 0;        ///< see DepartureMessage
  uintptr_t phase_ = 0;        ///< see DepartureMessage
  uintptr_t base_ = 0;         ///< see Journey; of the part in hand
  uintptr_t journey_base_ = 0; ///< the same, of the whole
  void* room_ = nullptr;       ///< the same
  void* presence_ = nullptr;   ///< the same
  /// An instruction that met an error abroad. It is to meet it here first: where CPUs are busy, the next signal comes
  /// before it is executed, each time.
  uintptr_t stopped_at_ = 0;
  JourneyAllowance allowance_;
  int64_t began_ns_ = 0; ///< the journey
  int64_t home_ns_ = 0;  ///< since when the thread has been at home
  uint32_t page_ns_ = 0;
  bool has_short_turns_ = false;
  std::atomic<bool> inside_{false}; ///< a journey; relaxed: written by the thread whose handler reads it
  std::atomic<bool> is_due_{false}; ///< it would have left but for where it was; relaxed: likewise

  /// Who has the context. at_home and away are written by its thread; by the service thread, which releases what comes
  /// with it, back, and `calls`: it is away, and the deputy is to make a call; then back_meanwhile. A futex.
  FutexWord where_{at_home};
  MakeGuestCall make_call_ = nullptr; ///< see Journey
  void (*task_is_over_)() = nullptr;  ///< the same
  GuestCall call_;                    ///< the one to be made
  GuestAnswer answer_;                ///< to that
  std::atomic<uint32_t> node_{0};     ///< the carrier's; relaxed: a hint for others
  HomecomingMessage message_{};       ///< what it came back with
};

/// All of them. On the origin.
class Deputies {
 public:
  static constexpr uint64_t most = 1024; ///< threads that are told apart; a DepartureMessage has 16 bits for them

  /// Before there are other nodes.
  void prepare(const PortableCode& code, const Gates& gates) {
    code_ = &code;
    gates_ = &gates;
  }
  /// When there are. False: the signal cannot be had, and nobody travels.
  bool set_up(TravelMessages& messages);

  void begin_journey(const Journey& journey);
  /// See Fabric, all.
  JourneyPart begin_part(const JourneyPart& part);
  void has_waited();
  bool may_depart(siginfo_t& signal) const;
  int64_t time_elsewhere() const;
  /// The calling thread's deputy while it is on a journey; else null.
  static Deputy* of_journey();
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
  /// Whether some may depart.
  bool may_depart() const { return !closed_.load(std::memory_order_relaxed); } // relaxed: a hint
  /// How many are away. A hint, therefore relaxed.
  uint32_t away() const { return away_.load(std::memory_order_relaxed); }
  /// How many of those have deputies that sleep, and make no call for them. A hint, therefore relaxed, both.
  uint32_t asleep() const {
    const uint32_t in_calls = in_calls_.load(std::memory_order_relaxed), all = away();
    return all - std::min(in_calls, all);
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
  bool owns_signal_ = false; ///< final before there are journeys
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
};

/// Where a thread keeps whether it is abroad, which gates look at. Counted from the thread pointer.
ptrdiff_t travel_flag();
/// See Fabric; of the calling thread. The same, counted so.
TaskSigns* task_signs();
ptrdiff_t task_signs_at();

} // namespace hetmp::dsm
