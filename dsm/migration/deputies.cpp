#include "dsm/migration/deputies.hpp"

#include "base/check.hpp"
#include "base/private_section.hpp"
#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/this_process.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>

namespace hetmp::dsm {

bool Deputies::set_up(TravelMessages& messages, FreeCpus free_cpus, ReadFaults read_faults) {
  messages_ = &messages;
  read_faults_ = read_faults;
  free_cpus_ = free_cpus;
  this_process.deputies = this;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask); // a signal of the program's is for a thread that is at home
  struct sigaction before = {};
  if (system_sigaction(travel_signal(), nullptr, &before) != 0 || before.sa_handler != SIG_DFL ||
      system_sigaction(travel_signal(), &action, nullptr) != 0)
    return false;
  owns_signal_ = true;
  closed_.store(false, std::memory_order_relaxed);
  return true;
}

/// Those of timers, and those that threads send themselves, carry a mark: some may yet come when the program has set
/// an action.
void Deputies::on_signal(int number, siginfo_t* info, void* context) {
  const bool asks = info->si_code == SI_QUEUE;
  if ((info->si_code != SI_TIMER && !asks) || info->si_value.sival_ptr != SignalTimer::mark())
    return this_process.deputies->pass_on(number, info, context);
  const int error = errno;
  if (Deputy* const deputy = deputy_of_caller())
    deputy->meet_signal(*static_cast<ucontext_t*>(context), asks);
  errno = error;
}

void Deputies::stay_at_home() {
  closed_.store(true); // pairs with let_leave(): who leaves without having seen it is seen to be away
  constexpr timespec a_moment = {0, 200'000};
  while (away_.load() != 0) {
    call_home();
    nanosleep(&a_moment, nullptr);
  }
}

bool Deputies::let_leave() {
  const bool first = away_.fetch_add(1) == 0;
  if (closed_.load()) { // both pair with stay_at_home()
    away_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  if (first)
    futex_wake(away_, 1);
  return true;
}

Deputy* Deputies::own() {
  if (Deputy* const deputy = deputy_of_caller())
    return deputy;
  const PrivateSection here;
  const uint64_t number = count_.fetch_add(1, std::memory_order_relaxed); // only a number
  if (number >= most)
    return nullptr;
  auto* const deputy = new Deputy(*this, number);             // stays as long as the thread may, which is one of a pool
  deputies_[number].store(deputy, std::memory_order_release); // pairs with the acquire in came_home(), call_home()
  deputy->set_up();
  set_deputy_of_caller(deputy);
  return deputy;
}

void Deputies::begin_journey(const Journey& journey) {
  if (closed_.load(std::memory_order_relaxed))
    return;
  if (Deputy* const deputy = own())
    deputy->begin(journey);
}

JourneyPart Deputies::begin_part(const JourneyPart& part) {
  Deputy* const deputy = deputy_of_caller();
  return deputy ? deputy->begin_part(part) : JourneyPart{};
}

void Deputies::has_waited() {
  if (Deputy* const deputy = deputy_of_caller())
    deputy->has_waited();
}

bool Deputies::may_depart(siginfo_t& signal) const {
  Deputy* const deputy = deputy_of_caller();
  if (!deputy || !deputy->may_depart_now())
    return false;
  signal = {};
  signal.si_signo = travel_signal();
  signal.si_code = SI_QUEUE;
  signal.si_value.sival_ptr = SignalTimer::mark();
  return true;
}

int64_t Deputies::time_elsewhere() const {
  const Deputy* const deputy = deputy_of_caller();
  return deputy ? deputy->time_elsewhere() : 0;
}

int64_t Deputies::cost_at_home() const {
  const Deputy* const deputy = deputy_of_caller();
  return deputy ? deputy->cost_at_home() : 0;
}

void Deputies::task_is_over() { deputy_of_caller()->task_is_over(); }

void Deputies::end_journey(JourneySeen& seen) {
  if (Deputy* const deputy = deputy_of_caller())
    deputy->end(seen);
  else
    seen = {};
}

std::optional<TravellersPages> Deputies::came_home(uint32_t from, const HomecomingMessage& message) {
  // acquire: pairs with the release in own()
  Deputy* const deputy = message.deputy < most ? deputies_[message.deputy].load(std::memory_order_acquire) : nullptr;
  return deputy ? deputy->come_home(from, message) : std::nullopt;
}

bool Deputies::called(uint32_t from, uint64_t number, const GuestCall& call) {
  // acquire: pairs with the release in own()
  Deputy* const deputy = number < most ? deputies_[number].load(std::memory_order_acquire) : nullptr;
  return deputy && deputy->called(from, call);
}

const GuestAnswer& Deputies::answer() const {
  const Deputy* const deputy = deputy_of_caller();
  HETMP_CHECK(deputy);
  return deputy->answer();
}

void Deputies::call_home() {
  for (uint64_t number = 0; number < most; ++number) {
    const Deputy* const deputy = deputies_[number].load(std::memory_order_acquire); // pairs with the release in own()
    if (!deputy)
      return;
    if (const uint32_t node = deputy->node(); node != 0)
      messages_->call_home(node, number);
  }
}

void Deputies::invite_one_home() {
  const uint64_t count = std::min(count_.load(std::memory_order_relaxed), most); // only a number
  for (uint64_t i = 0; i < count; ++i) {
    invited_ = (invited_ + 1) % count;
    const Deputy* const deputy = deputies_[invited_].load(std::memory_order_acquire); // as in call_home()
    if (const uint32_t node = deputy ? deputy->executed_on() : 0; node != 0) {
      messages_->invite_home(node, invited_, Invitation::FreeCpu);
      return;
    }
  }
}

Deputy* Deputies::furthest() const {
  Deputy* found = nullptr;
  const int64_t now_ns = raw::clock_ns(CLOCK_MONOTONIC);
  for (const auto& place : deputies_) {
    Deputy* const deputy = place.load(std::memory_order_acquire); // pairs with the release in own()
    if (!deputy)
      break;
    if (deputy->may_make_room() && (!found || deputy->progress_away_ns(now_ns) > found->progress_away_ns(now_ns)))
      found = deputy;
  }
  return found;
}

uint32_t Deputies::away_on(uint32_t node) const {
  uint32_t count = 0;
  for (const auto& place : deputies_) {
    const Deputy* const deputy = place.load(std::memory_order_acquire); // pairs with the release in own()
    if (!deputy)
      break;
    count += deputy->executed_on() == node;
  }
  return count;
}

void Deputies::wait_for_departure() {
  if (away_.load(std::memory_order_relaxed) == 0) // checked again by the kernel
    futex_wait(away_, 0);
}

void Deputies::forget() {
  closed_.store(true, std::memory_order_relaxed);
  away_.store(0, std::memory_order_relaxed); // here nobody waits for them
  set_deputy_of_caller(nullptr);
}

} // namespace hetmp::dsm
