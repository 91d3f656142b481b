#include "dsm/migration/deputies.hpp"

#include "base/check.hpp"
#include "base/private_section.hpp"
#include "base/signal_calls.hpp"
#include "dsm/migration/context.hpp"
#include "dsm/migration/raw_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>

namespace hetmp::dsm {
namespace {

/// What a thread that may travel has of its own. `is_abroad` is what gates look at, on whatever node.
struct Traveller {
  volatile char is_abroad = 0;
  Deputy* deputy = nullptr;
};
thread_local Traveller traveller;

constexpr timespec between_looks = {0, 10'000'000}; ///< of a deputy that waits

void on_signal(int, siginfo_t*, void* context) {
  const int error = errno;
  if (Deputy* const deputy = traveller.deputy)
    deputy->meet_signal(*static_cast<ucontext_t*>(context));
  errno = error;
}

} // namespace

int travel_signal() { return SIGRTMAX - 2; }

ptrdiff_t travel_flag() { return ptrdiff_t(uintptr_t(&traveller.is_abroad) - thread_pointer()); }

// ---- one

bool Deputy::set_up() {
  usable_ = signal_stack_.make() && timer_.make();
  return usable_;
}

void Deputy::begin(const Journey& journey) {
  HETMP_CHECK(!inside_.load(std::memory_order_relaxed) && journey.node != origin);
  if (!usable_)
    return;
  seen_ = {};
  base_ = reinterpret_cast<uintptr_t>(journey.base);
  room_ = journey.room;
  allowance_ns_ = first_allowance_ns_ = journey.allowance_ns;
  node_.store(journey.node, std::memory_order_relaxed);
  rule_.begin(journey.delay_ns, journey.restless);
  inside_.store(true, std::memory_order_relaxed);
  timer_.set(rule_.delay_ns());
}

void Deputy::end(JourneySeen& seen) {
  if (inside_.load(std::memory_order_relaxed)) {
    inside_.store(false, std::memory_order_relaxed); // a signal that comes yet finds nothing to do
    timer_.set(0);
  }
  seen = seen_;
  seen_ = {};
}

bool Deputy::may_leave(const ucontext_t& interrupted) const {
  const uintptr_t top = stack_pointer_of(interrupted);
  return TravellingContext::bytes(interrupted) && signal_stack_.holds(&interrupted) &&
         AddressPlan::stack_part(origin).contains(top) && top < base_ && all_.code_->may_leave(interrupted, base_);
}

/// In the signal's handler.
void Deputy::meet_signal(ucontext_t& interrupted) {
  // relaxed, all: see the members
  if (!inside_.load(std::memory_order_relaxed) || all_.closed_.load(std::memory_order_relaxed))
    return;
  if (may_leave(interrupted))
    travel(interrupted);
  timer_.set(rule_.retry_ns());
}

/// Returns to the program, as if nothing had been.
void Deputy::travel(const ucontext_t& interrupted) {
  const uint64_t blocked = blocked_signals_of(interrupted);
  ucontext_t* const context = TravellingContext::put(interrupted, room_);
  traveller.is_abroad = 1;
  where_.store(away, std::memory_order_relaxed);                              // the message publishes it
  const bool first = all_.away_.fetch_add(1, std::memory_order_relaxed) == 0; // relaxed: a number
  all_.messages_->send_departure(
      node_.load(std::memory_order_relaxed),
      {number_, uint64_t(reinterpret_cast<uintptr_t>(context)), thread_pointer(), allowance_ns_});
  if (first)
    futex_wake(all_.away_, 1);
  // acquire: pairs with the release in come_home(). Nothing here may touch the thread's own pages, which are elsewhere.
  while (where_.load(std::memory_order_acquire) != back) {
    raw::futex_wait(&where_, away, &between_looks);
    // The program may wait for what its handler does on this thread, which may wait for nothing where it is.
    if ((raw::pending_signals() & ~blocked & ~bit_of(travel_signal())) != 0)
      all_.messages_->call_home(node_.load(std::memory_order_relaxed), number_);
  }
  all_.away_.fetch_sub(1, std::memory_order_relaxed); // a number
  where_.store(at_home, std::memory_order_relaxed);   // read by others as a hint
  traveller.is_abroad = 0;
  const auto why = dsm::Homecoming(message_.why_and_pages & 0xff);
  seen_.stays += why != Homecoming::Refused;
  seen_.refused += why == Homecoming::Refused;
  seen_.lost_stays += why == Homecoming::Loses || why == Homecoming::Called;
  seen_.abroad_ns += message_.abroad_ns;
  seen_.computed_ns += message_.computed_ns;
  seen_.pages += message_.why_and_pages >> 8;
  const int64_t lost = message_.abroad_ns - 2 * message_.computed_ns;
  allowance_ns_ = std::min(allowance_ns_ - lost, first_allowance_ns_);
  rule_.came_home(why, message_.abroad_ns, message_.computed_ns);
  if (allowance_ns_ > 0)
    timer_.set(rule_.delay_ns());
  adapt(*context, blocked, signal_stack_.description());
  hetmp_resume_context(context);
}

bool Deputy::come_home(uint32_t from, const HomecomingMessage& message) {
  // relaxed: the departure was sent after both
  if (where_.load(std::memory_order_relaxed) != away || node_.load(std::memory_order_relaxed) != from ||
      (message.why_and_pages & 0xff) > uint64_t(last_homecoming))
    return false;
  message_ = message;
  where_.store(back, std::memory_order_release); // pairs with the acquire in travel()
  futex_wake(where_, 1);
  return true;
}

// ---- all

bool Deputies::set_up(TravelMessages& messages) {
  messages_ = &messages;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask); // a signal of the program's is for a thread that is at home
  struct sigaction before = {};
  if (system_sigaction(travel_signal(), nullptr, &before) != 0 || before.sa_handler != SIG_DFL ||
      system_sigaction(travel_signal(), &action, nullptr) != 0)
    return false;
  closed_.store(false, std::memory_order_relaxed);
  return true;
}

Deputy* Deputies::own() {
  if (traveller.deputy)
    return traveller.deputy;
  const PrivateSection here;
  const uint64_t number = count_.fetch_add(1, std::memory_order_relaxed); // only a number
  if (number >= most)
    return nullptr;
  traveller.deputy = new Deputy(*this, number); // stays as long as the thread may, which is one of a pool
  deputies_[number].store(traveller.deputy,
                          std::memory_order_release); // pairs with the acquire in came_home(), call_home()
  traveller.deputy->set_up();
  return traveller.deputy;
}

void Deputies::begin_journey(const Journey& journey) {
  if (closed_.load(std::memory_order_relaxed))
    return;
  if (Deputy* const deputy = own())
    deputy->begin(journey);
}

void Deputies::end_journey(JourneySeen& seen) {
  if (traveller.deputy)
    traveller.deputy->end(seen);
  else
    seen = {};
}

bool Deputies::came_home(uint32_t from, const HomecomingMessage& message) {
  // acquire: pairs with the release in own()
  Deputy* const deputy = message.deputy < most ? deputies_[message.deputy].load(std::memory_order_acquire) : nullptr;
  return deputy && deputy->come_home(from, message);
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

void Deputies::wait_for_departure() {
  if (away_.load(std::memory_order_relaxed) == 0) // checked again by the kernel
    raw::futex_wait(&away_, 0);
}

void Deputies::forget() {
  closed_.store(true, std::memory_order_relaxed);
  traveller.deputy = nullptr;
}

} // namespace hetmp::dsm
