// What stays at home of a thread of the origin that may go on elsewhere (journeys/travel.hpp).
#pragma once

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "dsm/fabric.hpp"
#include "dsm/migration/contexts/late_timer.hpp"
#include "dsm/migration/contexts/signal_stacks.hpp"
#include "dsm/migration/contexts/signal_timer.hpp"
#include "dsm/migration/journeys/change_of_places.hpp"
#include "dsm/migration/journeys/denied_cpu.hpp"
#include "dsm/migration/journeys/departure_rule.hpp"
#include "dsm/migration/journeys/journey_allowance.hpp"
#include "dsm/migration/journeys/travel.hpp"
#include "dsm/migration/journeys/travellers_pages.hpp"
#include "dsm/space/address_plan.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>
#include <utility>

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
  JourneyPart begin_part(const JourneyPart& part) {
    return {reinterpret_cast<const void*>(std::exchange(phase_, reinterpret_cast<uintptr_t>(part.code))),
            reinterpret_cast<const void*>(std::exchange(base_, reinterpret_cast<uintptr_t>(part.base)))};
  }
  /// At home.
  void has_waited();
  /// At home, around a call that a signal would end: none comes. What hold_signals() has returned is for the end.
  int64_t hold_signals() { return timer_.stop(); }
  void let_signals_come(int64_t held_ns) {
    if (held_ns != timer_.never && is_on_journey())
      timer_.set(std::max(held_ns, monotonic_ns() + rule_.soonest_ns));
  }
  /// In the journey in hand.
  int64_t time_elsewhere() const { return seen_.abroad_ns; }
  /// Likewise: what moving pages meanwhile has cost those at home.
  int64_t cost_at_home() const { return cost_at_home_ns_; }
  void end(JourneySeen& seen);
  /// See Journey.
  void task_is_over() const { task_is_over_(); }

  /// On a journey, at home: whether it may leave at once.
  bool may_depart_now();
  /// The signal's handler. `asks`: the thread has sent it to itself.
  void meet_signal(ucontext_t& interrupted, bool asks);

  /// Service thread. What it touches first at home; nothing: it is not there, or not away.
  std::optional<TravellersPages> come_home(uint32_t from, const HomecomingMessage& message);
  /// Service thread: it is to make this call for its thread. False: that is not there.
  bool called(uint32_t from, const GuestCall& call);
  /// To its last call. By its thread, at home.
  const GuestAnswer& answer() const { return answer_; }
  bool is_on_journey() const { return inside_.load(std::memory_order_relaxed); } // relaxed: its own thread's

  /// Any thread: on which node it is executed, or on its way there; 0: at home, or waiting for its deputy. A hint.
  uint32_t executed_on() const {
    return where_.load(std::memory_order_relaxed) == away ? node_.load(std::memory_order_relaxed) : 0;
  }
  /// Any thread: whether it is executed elsewhere, not in a task, and has not been asked to make room. A hint.
  bool may_make_room() const {
    return executed_on() != 0 && is_compared_.load(std::memory_order_relaxed) &&
           !makes_room_.load(std::memory_order_relaxed);
  }
  /// Likewise, of one that may: what CPU time it has had since its journey began, if it has computed all the time.
  /// relaxed: see the member
  int64_t progress_away_ns(int64_t now_ns) const { return now_ns - computes_since_ns_.load(std::memory_order_relaxed); }
  /// Any thread: asks it to. False: another one has.
  bool ask_for_room() { return !makes_room_.exchange(true, std::memory_order_relaxed); }
  /// Any thread: on which node it is; 0: at home. A hint.
  uint32_t node() const {
    const uint32_t where = where_.load(std::memory_order_relaxed); // relaxed, all: see above
    return where == away || where == calls ? node_.load(std::memory_order_relaxed) : 0;
  }

 private:
  static constexpr uint32_t at_home = 0, away = 1, back = 2, calls = 3, back_meanwhile = 4;

  bool may_leave(const ucontext_t& interrupted, bool asks) const;
  bool has_reason_to_leave(bool asks);
  bool find_place();
  int64_t progress_ns() const;
  bool stays_invited();
  bool has_free_cpu(uint32_t node) const;
  bool find_free_cpu();
  void look();
  [[noreturn]] void travel(const ucontext_t& interrupted, bool asked);
  int64_t longer_at_home_ns() const;
  int64_t cost_so_far_ns() const;
  void account_stay();
  bool wait_while_away(void* thread, uint64_t blocked);
  void make_call(void* thread);
  /// The journey's beginning.
  double after_us(int64_t now_ns) const { return double(now_ns - began_ns_) / 1000; }
  void have_short_turns(bool wanted);
  void plan_departure(int64_t now_ns);

  Deputies& all_;
  const uint64_t number_;
  SignalStack signal_stack_;
  LateTimer<SignalTimer> timer_;
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
  DeniedCpu denied_cpu_;
  const uint32_t* cpus_ = nullptr; ///< see Journey; null: it asks for no free one
  uint32_t nodes_ = 0;             ///< see Journey
  bool watches_cpu_ = false;       ///< its own, at home
  bool shares_cpu_ = false;        ///< see Journey
  bool leaves_others_ = false;     ///< on the departure in hand, or the stay: its CPU at home to other threads
  uint64_t losses_before_ = 0;     ///< the journey: Deputies::losses()
  int64_t began_ns_ = 0;           ///< the journey
  int64_t home_ns_ = 0;            ///< since when the thread has been at home
  uint32_t page_ns_ = 0;
  bool has_short_turns_ = false;
  bool was_invited_ = false; ///< home, by its last stay's end, and nobody has wanted its CPU since
  bool restless_ = false;    ///< see Journey
  ChangeOfPlaces change_of_places_;
  Deputy* changes_with_ = nullptr;  ///< on the departure in hand, or the stay; null: nobody
  bool looks_ = false;              ///< in the journey in hand
  int64_t cost_at_home_ns_ = 0;     ///< of the journey's stays: its part of what moving pages has cost there meanwhile
  uint64_t moving_before_ns_ = 0;   ///< what moving pages had cost those at home before the stay in hand
  int64_t cpu_before_ns_ = 0;       ///< the thread's CPU time when it began to look
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
  /// For those that would take its place; relaxed, all: hints. Set before where_ is away; the last one then again.
  std::atomic<bool> is_compared_{false};
  std::atomic<bool> makes_room_{false};
  std::atomic<int64_t> computes_since_ns_{0}; ///< see progress_away_ns()
  HomecomingMessage message_{};               ///< what it came back with
};

/// Of the calling thread; null: it has not been on a journey.
Deputy* deputy_of_caller();
void set_deputy_of_caller(Deputy* deputy);
/// Where a thread keeps whether it is abroad, which gates look at. Counted from the thread pointer.
ptrdiff_t travel_flag();
/// See Fabric; of the calling thread. The same, counted so.
TaskSigns* task_signs();
ptrdiff_t task_signs_at();

} // namespace hetmp::dsm
