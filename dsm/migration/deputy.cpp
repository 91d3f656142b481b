#include "dsm/migration/deputy.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/machine/time_slice.hpp"
#include "base/page.hpp"
#include "dsm/guest_tasks.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/deputies.hpp"
#include "dsm/migration/gates.hpp"

#include <algorithm>
#include <clocale>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <utility>

namespace hetmp::dsm {
namespace {

/// What a thread that may travel has of its own. `presence` is what gates look at, on whatever node.
struct Traveller {
  volatile Presence presence = Presence::Home;
  TaskSigns task_signs;
  Deputy* deputy = nullptr;
};
thread_local Traveller traveller;

constexpr double longest_wait_us = 1e12;            ///< for a departure; one that would be later is none
constexpr timespec between_looks = {0, 10'000'000}; ///< of a deputy that waits

} // namespace

ptrdiff_t travel_flag() { return ptrdiff_t(uintptr_t(&traveller.presence) - thread_pointer()); }

TaskSigns* task_signs() { return &traveller.task_signs; }
ptrdiff_t task_signs_at() { return ptrdiff_t(uintptr_t(&traveller.task_signs) - thread_pointer()); }

Deputy* deputy_of_caller() { return traveller.deputy; }
void set_deputy_of_caller(Deputy* deputy) { traveller.deputy = deputy; }

bool Deputy::set_up() {
  thread_pointer_ = thread_pointer();
  guard_ = page_below_stack();
  usable_ = AddressPlan::stack_part(origin).contains(guard_) && signal_stack_.make() && timer_.make();
  return usable_;
}

void Deputy::begin(const Journey& journey) {
  HETMP_CHECK(!inside_.load(std::memory_order_relaxed));
  if (!usable_)
    return;
  seen_ = {};
  phase_ = reinterpret_cast<uintptr_t>(journey.code);
  base_ = journey_base_ = reinterpret_cast<uintptr_t>(journey.base);
  room_ = journey.room;
  presence_ = journey.presence;
  make_call_ = journey.make_call;
  task_is_over_ = journey.task_is_over;
  HETMP_CHECK(presence_);
  allowance_.begin(journey.allowance);
  began_ns_ = home_ns_ = monotonic_ns();
  page_ns_ = uint32_t(std::clamp<int64_t>(journey.page_ns, 0, UINT32_MAX));
  node_.store(journey.node, std::memory_order_relaxed);
  cpus_ = journey.restless ? nullptr : journey.cpus;
  nodes_ = journey.nodes;
  watches_cpu_ = journey.node == origin;
  HETMP_CHECK(!watches_cpu_ || cpus_);
  shares_cpu_ = journey.shares_cpu;
  losses_before_ = all_.losses();
  was_invited_ = false;
  restless_ = journey.restless;
  change_of_places_.begin(journey.change_ns, journey.usual_ns);
  changes_with_ = nullptr;
  looks_ = false;
  cost_at_home_ns_ = 0;
  rule_.begin(journey.delay_ns, journey.restless);
  asked_rule_ = rule_;
  is_due_.store(false, std::memory_order_relaxed);
  inside_.store(true, std::memory_order_relaxed);
  if (rule_.departs_at_once() && !watches_cpu_)
    have_short_turns(true);
  const int64_t looks_ns = watches_cpu_ ? denied_cpu_.next_look_ns() : 0; // after those that have no CPU here
  timer_.set(began_ns_ + rule_.delay_ns() + looks_ns);
}

/// It shares a CPU with threads that stay, whose turns take milliseconds: after each barrier it would leave so late.
/// Who has never left is spared the calls, which cost as much as a small region.
void Deputy::have_short_turns(bool wanted) {
  if (std::exchange(has_short_turns_, wanted) != wanted)
    ask_for_short_turns(wanted);
}

void Deputy::has_waited() {
  if (!inside_.load(std::memory_order_relaxed) || !is_due_.load(std::memory_order_relaxed))
    return;
  is_due_.store(false, std::memory_order_relaxed);
  timer_.set(monotonic_ns() + rule_.soonest_ns);
}

void Deputy::end(JourneySeen& seen) {
  if (inside_.load(std::memory_order_relaxed)) {
    inside_.store(false, std::memory_order_relaxed); // a signal that comes yet finds nothing to do
    if (looks_)                                      // what has lasted does not notice the call
      timer_.stop();
    else
      timer_.leave();
    have_short_turns(false);
    seen_.cpu_ns = looks_ ? progress_ns() : 0;
    if (looks_ && watches_cpu_)
      denied_cpu_.look(raw::times_of_thread());
  }
  seen = seen_;
  seen_ = {};
}

bool Deputy::may_depart_now() {
  // relaxed: its own thread's; a hint
  if (!is_on_journey() || watches_cpu_ || !all_.may_depart() || stays_invited())
    return false;
  const int64_t now_ns = monotonic_ns();
  const double after = double(now_ns - began_ns_) / 1000;
  return now_ns - home_ns_ >= asked_rule_.delay_ns() - DepartureRule::soonest_ns &&
         allowance_.departs_at(after) <= after;
}

bool Deputy::may_leave(const ucontext_t& interrupted, bool asks) const {
  const uintptr_t top = stack_pointer_of(interrupted);
  return instruction_of(interrupted) != stopped_at_ && TravellingContext::bytes(interrupted) &&
         signal_stack_.holds(&interrupted) && AddressPlan::stack_part(origin).contains(top) && top < base_ &&
         all_.code_->may_leave(interrupted, base_, asks);
}

bool Deputy::has_free_cpu(uint32_t node) const { return all_.away_on(node) < cpus_[node]; }

bool Deputy::find_free_cpu() {
  for (uint32_t node = origin + 1; node < nodes_; ++node)
    if (has_free_cpu(node)) {
      node_.store(node, std::memory_order_relaxed);
      return true;
    }
  return false;
}

/// At its CPU, and at what it computes: from the timer's first signal on. The clocks of both are system calls, which
/// short regions, where none comes, would notice.
void Deputy::look() {
  if (!std::exchange(looks_, true)) {
    cpu_before_ns_ = raw::clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (cpus_)
      denied_cpu_.begin(raw::times_of_thread(), cpus_[origin]);
  } else if (cpus_) {
    denied_cpu_.look(raw::times_of_thread());
  }
}

/// For a CPU elsewhere. Of threads that have one at home: where others lose they would, too.
bool Deputy::has_reason_to_leave(bool asks) {
  changes_with_ = nullptr;
  leaves_others_ = false;
  look();
  if (stays_invited())
    return false;
  if (restless_) {
    constexpr uint32_t now_and_then = 32; // else hardly anybody would be away for long
    if (seen_.stays % now_and_then == now_and_then - 1)
      find_place();
    return true;
  }
  const bool is_slow = cpus_ && denied_cpu_.is_slow();
  if (cpus_ && denied_cpu_.is_known())
    all_.tell_denied_share(denied_cpu_.denied_share());
  leaves_others_ = watches_cpu_ && shares_cpu_ && all_.is_crowded();
  // Where none is free it would be refused. relaxed: its own
  if (watches_cpu_ ? (is_slow || leaves_others_) && !all_.loses_since(losses_before_) && find_free_cpu()
                   : !cpus_ || has_free_cpu(node_.load(std::memory_order_relaxed)))
    return true;
  return !asks && is_slow && find_place();
}

/// What CPU time it has had on its journey, since it looks. At home.
int64_t Deputy::progress_ns() const {
  return raw::clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before_ns_ + seen_.computed_ns;
}

/// That of one that has got further. A task is executed by whoever has time for it: that one got further says nothing.
bool Deputy::find_place() {
  if (base_ != journey_base_)
    return false;
  Deputy* const other = all_.furthest();
  const uint32_t node = other ? other->executed_on() : 0;
  if (node == 0)
    return false;
  const int64_t lead_ns = other->progress_away_ns(raw::clock_ns(CLOCK_MONOTONIC)) - progress_ns();
  if (!restless_ && !change_of_places_.pays(lead_ns, denied_cpu_.denied_share()))
    return false;
  changes_with_ = other;
  node_.store(node, std::memory_order_relaxed);
  return true;
}

/// Who came home to a free CPU stays until others want that.
bool Deputy::stays_invited() {
  was_invited_ = was_invited_ && !all_.is_crowded();
  return was_invited_;
}

/// In the signal's handler.
void Deputy::meet_signal(ucontext_t& interrupted, bool asks) {
  const int64_t now_ns = raw::clock_ns(CLOCK_MONOTONIC);
  if (!asks && !timer_.is_due(now_ns))
    return;
  // relaxed, all: see the members
  if (!inside_.load(std::memory_order_relaxed) || all_.closed_.load(std::memory_order_relaxed))
    return;
  if (!has_reason_to_leave(asks)) {
    if (!asks)
      timer_.set(now_ns + (watches_cpu_ ? denied_cpu_.next_look_ns() : rule_.retry_ns()));
    return;
  }
  if (may_leave(interrupted, asks) && (!changes_with_ || changes_with_->ask_for_room()) && all_.let_leave())
    travel(interrupted, asks);
  if (asks)
    return; // the timer goes on
  is_due_.store(true, std::memory_order_relaxed);
  const int64_t tried_ns = raw::clock_ns(CLOCK_MONOTONIC);
  timer_.set(tried_ns + rule_.retry_ns(tried_ns - now_ns));
}

void Deputy::plan_departure(int64_t now_ns) {
  const double now_us = after_us(now_ns);
  const double wait_us = std::max(double(rule_.delay_ns()) / 1000, allowance_.departs_at(now_us) - now_us);
  if (wait_us < longest_wait_us)
    timer_.set(now_ns + int64_t(wait_us * 1000));
}

/// Returns to the program, as if nothing had been.
void Deputy::travel(const ucontext_t& interrupted, bool asked) {
  const uint64_t blocked = blocked_signals_of(interrupted);
  const double allowed_us = allowance_.grant(after_us(raw::clock_ns(CLOCK_MONOTONIC)));
  ucontext_t* const context = TravellingContext::put(interrupted, room_);
  traveller.presence = uselocale(locale_t{}) == LC_GLOBAL_LOCALE ? Presence::Abroad : Presence::AbroadWithLocale;
  void* presence;
  memcpy(&presence, presence_, sizeof presence);
  memset(presence_, 0, sizeof presence);
  is_compared_.store(base_ == journey_base_, std::memory_order_relaxed); // hints, all
  makes_room_.store(false, std::memory_order_relaxed);
  computes_since_ns_.store(raw::clock_ns(CLOCK_MONOTONIC) - progress_ns(), std::memory_order_relaxed);
  where_.store(away, std::memory_order_relaxed); // the message publishes it
  if (changes_with_) {                           // on the same way as the departure, before it: the place will be free
    all_.messages_->invite_home(node_.load(std::memory_order_relaxed), changes_with_->number_,
                                Invitation::ChangePlaces);
    all_.places_change();
  }
  all_.messages_->send_departure(node_.load(std::memory_order_relaxed),
                                 {uint16_t(number_), uint8_t(base_ != journey_base_), uint8_t(cpus_ != nullptr),
                                  page_ns_, uint64_t(reinterpret_cast<uintptr_t>(context)), thread_pointer(), guard_,
                                  int32_t(std::clamp<double>(allowed_us, 0, INT32_MAX)), uint32_t(phase_)});
  moving_before_ns_ = all_.faults().moving_ns();
  const bool is_away = wait_while_away(presence, blocked); // as others see it
  const int64_t cost_ns = cost_so_far_ns();
  cost_at_home_ns_ += cost_ns;
  if (is_away)
    all_.away_.fetch_sub(1, std::memory_order_relaxed); // a number
  where_.store(at_home, std::memory_order_relaxed);     // read by others as a hint
  traveller.presence = Presence::Home;
  memcpy(presence_, &presence, sizeof presence);
  if (GuestAnswer none; message_.has_ended_loop() && make_call_)
    make_call_(presence, {.function = GuestFunction::LoopEnds}, none);
  account_stay();
  const Homecoming why = message_.why();
  const int64_t pages_ns = int64_t(message_.pages()) * int64_t(page_ns_);
  const int64_t waits_ns = lost_by_waiting(message_.abroad_ns - message_.computed_ns, cost_ns);
  const int64_t lost = waits_ns + pages_ns - message_.computed_ns - longer_at_home_ns();
  home_ns_ = raw::clock_ns(CLOCK_MONOTONIC);
  allowance_.came_home(why, double(lost) / 1000, double(pages_ns + cost_ns) / 1000, after_us(home_ns_));
  was_invited_ = why == Homecoming::Invited;
  stopped_at_ = why == Homecoming::Stopped ? instruction_of(*context) : 0;
  if (why == Homecoming::Gate && is_away) // a call: a new phase begins where it returns to
    phase_ = *reinterpret_cast<const uintptr_t*>(stack_pointer_of(*context));
  (asked ? asked_rule_ : rule_).came_home(why, message_.abroad_ns, message_.computed_ns, asked);
  is_due_.store(false, std::memory_order_relaxed);
  if (cpus_)
    denied_cpu_.begin(raw::times_of_thread(), cpus_[origin]);
  if (!watches_cpu_)
    have_short_turns(true);
  plan_departure(home_ns_);
  adapt(*context, blocked, signal_stack_.description());
  hetmp_resume_context(context);
}

/// Of the stay in hand, or just over: its part of what moving pages has cost those at home meanwhile.
int64_t Deputy::cost_so_far_ns() const {
  return int64_t(all_.faults().moving_ns() - moving_before_ns_) / std::max<int64_t>(all_.away(), 1);
}

/// Than what the stay has computed, which the CPUs at home had not to do; less than 0: so much was none of their work,
/// since its thread has one of them that nobody else is waiting for.
int64_t Deputy::longer_at_home_ns() const {
  const double denied = all_.denied_share();
  const bool has_cpu = watches_cpu_ && !leaves_others_;
  const double longer = has_cpu ? DeniedCpu::gain_elsewhere(denied) - 1 : DeniedCpu::times_as_long(denied) - 1;
  return int64_t(longer * double(message_.computed_ns));
}

/// That is over.
void Deputy::account_stay() {
  const Homecoming why = message_.why();
  const bool loses = why == Homecoming::Loses || why == Homecoming::Called;
  seen_.stays += why != Homecoming::Refused;
  seen_.refused += why == Homecoming::Refused;
  seen_.lost_stays += loses;
  all_.stay_is_over(loses, DepartureRule::is_worth_its_way(message_.abroad_ns, message_.computed_ns));
  seen_.abroad_ns += message_.abroad_ns;
  seen_.computed_ns += message_.computed_ns;
  seen_.longer_ns += longer_at_home_ns();
  seen_.pages += message_.pages();
  seen_.fetched += message_.fetched;
  if (std::exchange(changes_with_, nullptr) && why != Homecoming::Refused) {
    const int64_t waited_ns = message_.abroad_ns - message_.computed_ns;
    seen_.changes++;
    seen_.changes_waited_ns += waited_ns;
    change_of_places_.has_waited(waited_ns);
  }
}

/// Makes calls for it meanwhile. False: it came home during one, and has not been counted as away since. Nothing here
/// may touch the thread's own pages, which are elsewhere.
bool Deputy::wait_while_away(void* thread, uint64_t blocked) {
  // acquire: pairs with the releases in come_home() and called()
  for (uint32_t where; (where = where_.load(std::memory_order_acquire)) != back;) {
    if (where != away) {
      make_call(thread);
      // release: pairs with the acquire in called(), whose next call takes the place of this one; acquire: as above
      if (where = calls;
          !where_.compare_exchange_strong(where, away, std::memory_order_acq_rel, std::memory_order_acquire))
        return false; // back_meanwhile
      const bool begins_phase = call_.function == GuestFunction::Barrier && answer_.made != 0;
      all_.messages_->send_guest_answer(node_.load(std::memory_order_relaxed), number_,
                                        begins_phase ? uint32_t(phase_) : 0, answer_);
      continue;
    }
    futex_wait(where_, away, FutexScope::Process, &between_looks);
    // The program may wait for what its handler does on this thread, which may wait for nothing where it is.
    if ((raw::pending_signals() & ~blocked & ~bit_of(travel_signal())) != 0)
      all_.messages_->call_home(node_.load(std::memory_order_relaxed), number_);
  }
  return true;
}

/// In the thread's name, while that waits for the answer.
void Deputy::make_call(void* thread) {
  all_.in_calls_.fetch_add(1, std::memory_order_relaxed); // a hint
  answer_ = {};
  const int64_t began_ns = raw::clock_ns(CLOCK_MONOTONIC);
  answer_.made = make_call_ && make_call_(thread, call_, answer_) ? 1 : 0;
  answer_.took_ns = uint64_t(raw::clock_ns(CLOCK_MONOTONIC) - began_ns);
  answer_.cost_ns = uint64_t(std::max<int64_t>(cost_so_far_ns(), 0));
  computes_since_ns_.fetch_add(int64_t(answer_.took_ns), std::memory_order_relaxed); // a hint
  all_.in_calls_.fetch_sub(1, std::memory_order_relaxed);                            // likewise
  if (call_.function == GuestFunction::Barrier && answer_.made != 0)
    phase_ = call_.site;
}

bool Deputy::called(uint32_t from, const GuestCall& call) {
  // acquire: pairs with the release in wait_while_away(). relaxed: the departure was sent after it
  if (where_.load(std::memory_order_acquire) != away || node_.load(std::memory_order_relaxed) != from ||
      call.function > last_guest_function)
    return false;
  call_ = call;
  where_.store(calls, std::memory_order_release); // pairs with the acquire in travel()
  futex_wake(where_, 1);
  return true;
}

std::optional<TravellersPages> Deputy::come_home(uint32_t from, const HomecomingMessage& message) {
  // relaxed: the departure was sent after both
  if (node() != from || from == origin || message.why() > last_homecoming)
    return std::nullopt;
  const TravellersPages pages(reinterpret_cast<uintptr_t>(room_), thread_pointer_,
                              thread_pointer_ + uintptr_t(travel_flag()), guard_);
  message_ = message;
  // release: pairs with the acquires in wait_while_away(). relaxed: nothing is read by it.
  uint32_t where = where_.load(std::memory_order_relaxed);
  while (!where_.compare_exchange_weak(where, where == calls ? back_meanwhile : back, std::memory_order_release,
                                       std::memory_order_relaxed))
    ;
  // While a call is made for it, which may last as long as a barrier does, it is at home for those that wait until
  // nobody is away.
  if (where == calls)
    all_.away_.fetch_sub(1, std::memory_order_relaxed); // a number
  futex_wake(where_, 1);
  return pages;
}

} // namespace hetmp::dsm
