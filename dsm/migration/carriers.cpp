#include "dsm/migration/carriers.hpp"

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/signal_calls.hpp"
#include "dsm/migration/contexts/context.hpp"
#include "dsm/migration/contexts/raw_calls.hpp"
#include "dsm/migration/tasks_abroad.hpp"
#include "dsm/migration/this_process.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// In a handler the thread pointer may be the guest's: nothing there may use a thread-local variable, nor the canary
// that is found by the pointer, before the guest has gone.
#define HETMP_GUESTS_VARIABLES __attribute__((no_stack_protector))

namespace hetmp::dsm {
namespace {

constexpr int errors[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
constexpr int64_t look_ns = 1'000'000; ///< how often a guest's progress is looked at
constexpr int64_t fault_cpu_ns = 3000; ///< of the thread's own CPU time goes into a page fault
/// What it costs at least that the deputy makes a call and not the thread: messages, and that the deputy gets a CPU of
/// those at home.
constexpr int64_t call_ns = 150'000;
constexpr int64_t few_meetings = 8, least_between_meetings_ns = 2 * call_ns; ///< of a guest with its team, at barriers

uint64_t only_these_unblocked() {
  uint64_t blocked = ~uint64_t(0);
  for (const int number : errors)
    blocked &= ~bit_of(number);
  return blocked & ~bit_of(travel_signal());
}

void block_travel_signal() {
  sigset_t set;
  sigfillset(&set);
  for (const int number : errors)
    sigdelset(&set, number);
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

} // namespace

// ---- one

void Carrier::run() {
  prctl(PR_SET_NAME, "hetmp-carrier");
  block_travel_signal();
  own_pointer_ = thread_pointer();
  if (host_) {
    host_->own = own_pointer_;
    host_->carrier = this;
  }
  thread_.store(gettid(), std::memory_order_relaxed); // published by what follows
  if (!signal_stack_.make() || !timer_.make())
    return;                                      // it never takes a guest
  state_.store(idle, std::memory_order_release); // pairs with the acquire in take()
  while (true) {
    // acquire: pairs with the release in take()
    while (state_.load(std::memory_order_acquire) != taken)
      futex_wait(state_, idle);
    carry();
    const HomecomingMessage outcome = outcome_;
    deputy_.store(UINT64_MAX, std::memory_order_relaxed); // a hint
    state_.store(idle, std::memory_order_release);        // pairs with the acquire in take(): the next guest may come
    all_.messages_->send_homecoming(outcome);
  }
}

bool Carrier::take(const DepartureMessage& departure) {
  if (state_.load(std::memory_order_acquire) != idle) // pairs with the releases in run()
    return false;
  guest_ = departure;
  called_.store(false, std::memory_order_relaxed); // the futex word publishes all four
  invited_.store(false, std::memory_order_relaxed);
  makes_room_.store(false, std::memory_order_relaxed);
  deputy_.store(departure.deputy, std::memory_order_relaxed);
  state_.store(taken, std::memory_order_release); // pairs with the acquire in run()
  futex_wake(state_, 1);
  return true;
}

void Carrier::call_home(uint64_t deputy) const {
  if (deputy_.load(std::memory_order_relaxed) != deputy) // the service thread's own, or a hint that it has left
    return;
  call_home();
}

void Carrier::call_home() const {
  called_.store(true, std::memory_order_relaxed); // see the member
  ask_for_look();
}

void Carrier::invite_home(uint64_t deputy, Invitation invitation) const {
  if (deputy_.load(std::memory_order_relaxed) != deputy) // as call_home()
    return;
  // relaxed: see the members
  (invitation == Invitation::ChangePlaces ? makes_room_ : invited_).store(true, std::memory_order_relaxed);
  ask_for_look();
}

void Carrier::ask_for_look() const {
  syscall(SYS_tgkill, getpid(), thread_.load(std::memory_order_relaxed), travel_signal());
}

/// Returns when the guest has gone.
void Carrier::carry() {
  auto* const context = reinterpret_cast<ucontext_t*>(guest_.context);
  // Each time: make_executable() of ThreadStacks opens what other nodes have closed.
  raw::call(SYS_mprotect, long(guest_.guard), page_bytes, PROT_NONE);
  adapt(*context, only_these_unblocked(), signal_stack_.description());
  all_.read_faults_(&before_);
  faults_before_ = raw::faults_of_thread();
  const DeniedCpu::Times times = raw::times_of_thread();
  began_ns_ = times.now_ns;
  cpu_before_ns_ = times.thread_ns;
  denied_cpu_.begin(times, all_.most_at_work_);
  timer_.set(look_ns, look_ns);
  all_.closed_->guest_comes();
  in_calls_ns_ = calls_cpu_ns_ = meetings_ = denied_ns_ = cost_at_home_ns_ = 0;
  if (host_) {
    host_->loop_ended = false;
    host_->knows_team = false;
    host_->has_no_children = false;
    host_->reduced_count = 0;
    host_->deepest =
        guest_.in_task != 0 ? TasksAbroad::deepest(stack_pointer_of(*context), guest_.guard) : TasksAbroad::nowhere;
    host_->guest = guest_.thread_pointer;
  }
  carries_ = true;
  hetmp_enter_context(context, guest_.thread_pointer, &place_);
  carries_ = false;
  if (host_)
    host_->guest = 0;
  all_.closed_->guest_has_gone();
  timer_.set(0);
  block_travel_signal();
}

HETMP_GUESTS_VARIABLES int64_t Carrier::computed_ns() const {
  const int64_t cpu = raw::clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before_ns_;
  const int64_t computed = cpu - calls_cpu_ns_ - (raw::faults_of_thread() - faults_before_) * fault_cpu_ns;
  return computed > 0 ? computed : 0;
}

/// What is computed here is gained: those at home have it not to do. What was waited for meanwhile is lost, and so is
/// what those at home have waited for pages: they say that with each answer.
HETMP_GUESTS_VARIABLES bool Carrier::loses(int64_t now_ns) const {
  const int64_t computed = computed_ns(), waited = abroad_ns(now_ns) - computed;
  // One that meets its team every moment makes those at home wait for the deputy's messages, which only they can see.
  const bool meets_too_often = meetings_ >= few_meetings && computed < meetings_ * least_between_meetings_ns;
  const int64_t pages = int64_t(pages_to_give_back(received())) * guest_.page_ns;
  const int64_t lost = lost_by_waiting(waited, cost_at_home_ns_) + pages - computed;
  return meets_too_often || lost > int64_t(guest_.allowance_us) * 1000;
}

/// Where it is alone with those at home, a CPU there would be all its own.
HETMP_GUESTS_VARIABLES bool Carrier::is_better_off_at_home() const {
  return guest_.has_cpu != 0 && denied_cpu_.is_slow();
}

/// A guest waits for its team as long as it would at home. What other programs have of its CPU is no loss: as long as
/// those at home have theirs to themselves, whatever it computes is gained.
HETMP_GUESTS_VARIABLES int64_t Carrier::abroad_ns(int64_t now_ns) const {
  return now_ns - began_ns_ - in_calls_ns_ - denied_ns_;
}

bool Carrier::ask_deputy() {
  constexpr timespec between_looks = {0, 5'000'000}; // a call home may come just before it sleeps
  const int64_t began_ns = monotonic_ns(), computed_before_ns = computed_ns();
  if (carries_ && loses(began_ns)) { // who calls all the time is hardly ever met by a look
    host_->answer = {};              // at home it makes the call itself
    return true;
  }
  host_->call.loop_ended = host_->loop_ended;
  host_->loop_ended = false;
  answered_.store(0, std::memory_order_relaxed); // the message that is answered publishes it
  waits_.store(true, std::memory_order_relaxed); // a hint
  all_.messages_->send_guest_call(guest_.deputy, host_->call);
  bool is_answered; // acquire: pairs with the release in answered(). relaxed: see called_
  while (!(is_answered = answered_.load(std::memory_order_acquire) != 0) && !called_.load(std::memory_order_relaxed))
    futex_wait(answered_, 0, FutexScope::Process, &between_looks);
  waits_.store(false, std::memory_order_relaxed); // a hint
  if (is_answered && host_->call.function == GuestFunction::Team && host_->answer.made != 0) {
    host_->number = int(host_->answer.results[0]);
    host_->team_size = int(host_->answer.results[1]);
    host_->knows_team = true;
  }
  meetings_ += host_->call.function == GuestFunction::Barrier;
  constexpr uint64_t most_ns = 1'000'000'000'000;
  if (is_answered)
    cost_at_home_ns_ = int64_t(std::min(host_->answer.cost_ns, most_ns));
  calls_cpu_ns_ += computed_ns() - computed_before_ns; // to send and to wait is no part of what it computes
  // As long as its team takes it would wait at home, too. All else is lost.
  const int64_t waited_ns = monotonic_ns() - began_ns;
  const int64_t took_ns = is_answered ? int64_t(host_->answer.took_ns) : 0;
  in_calls_ns_ += std::clamp<int64_t>(waited_ns - call_ns, 0, std::max<int64_t>(took_ns, 0));
  return is_answered;
}

void Carrier::answered(const GuestAnswer& answer) {
  host_->answer = answer;
  answered_.store(1, std::memory_order_release); // pairs with the acquire in ask_deputy()
  futex_wake(answered_, 1);
}

/// Meanwhile, by the node.
HETMP_GUESTS_VARIABLES FaultCounters Carrier::received() const {
  FaultCounters counters;
  all_.read_faults_(&counters);
  counters.pages_taken -= before_.pages_taken;
  counters.bytes_received -= before_.bytes_received;
  return counters;
}

HETMP_GUESTS_VARIABLES bool Carrier::meet_signal(int number, ucontext_t& interrupted) {
  if (!carries_)
    return false;
  // It may hold locks of this process, and knows where it is: at the next look it will have got on.
  if (number == travel_signal() && ((host_ && host_->works) || MemoryAbroad::is_stand_in(instruction_of(interrupted))))
    return true;
  const uintptr_t gate = all_.gates_->gate_at(instruction_of(interrupted));
  // In the middle of a gate, too, the guest has been told that it is abroad, and would go on to the trap. From its
  // beginning the gate looks again: at home it is open, here it is a trap once more.
  if (gate != 0)
    interrupted.uc_mcontext.gregs[REG_RIP] = greg_t(gate);
  if (number == SIGILL && gate != 0)
    send_home(interrupted, loses(raw::clock_ns(CLOCK_MONOTONIC)) ? Homecoming::Loses : Homecoming::Gate);
  // A breakpoint instruction, alone of those, is behind the thread when its signal comes.
  constexpr uint8_t breakpoint = 0xcc;
  if (number == SIGTRAP && *reinterpret_cast<const uint8_t*>(instruction_of(interrupted) - 1) == breakpoint)
    --interrupted.uc_mcontext.gregs[REG_RIP];
  if (number != travel_signal())
    send_home(interrupted, Homecoming::Stopped); // where it happens again, and is the program's business
  if (called_.load(std::memory_order_relaxed))   // see the member
    send_home(interrupted, Homecoming::Called);
  const DeniedCpu::Times times = raw::times_of_thread();
  const int64_t now_ns = times.now_ns, denied_ns = denied_cpu_.look(times);
  if (guest_.has_cpu != 0)
    denied_ns_ += denied_ns;
  if (loses(now_ns))
    send_home(interrupted, Homecoming::Loses);
  if (makes_room_.load(std::memory_order_relaxed)) // see the member
    send_home(interrupted, Homecoming::ChangedPlaces);
  if (invited_.exchange(false, std::memory_order_relaxed)) { // see the member
    if (is_better_off_at_home())
      send_home(interrupted, Homecoming::Invited);
    if (host_) // those at home have nothing to do: they may take the tasks that it generates
      host_->deepest = TasksAbroad::nowhere;
  }
  return true;
}

HETMP_GUESTS_VARIABLES void Carrier::send_home(const ucontext_t& interrupted, Homecoming why) {
  outcome_.deputy = guest_.deputy;
  outcome_.abroad_ns = abroad_ns(raw::clock_ns(CLOCK_MONOTONIC));
  outcome_.computed_ns = computed_ns();
  TravellingContext::put(interrupted, reinterpret_cast<void*>(guest_.context));
  const FaultCounters counters = received();
  outcome_.why_and_pages = pages_to_give_back(counters) << 8 | uint64_t(why) |
                           (host_ && host_->loop_ended ? HomecomingMessage::loop_ended : 0);
  outcome_.fetched = counters.bytes_received / page_bytes;
  hetmp_leave_context(&place_, own_pointer_);
}

// ---- all

bool Carriers::takes(int number) {
  return number == travel_signal() || std::find(std::begin(errors), std::end(errors), number) != std::end(errors);
}

void Carriers::set_up(const Gates& gates, ClosedMemory& closed, MemoryAbroad& memory, TravelMessages& messages,
                      ReadFaults read_faults, uint32_t count,
                      void (*create_thread)(void* (*body)(void*), void* argument)) {
  gates_ = &gates;
  closed_ = &closed;
  messages_ = &messages;
  read_faults_ = read_faults;
  this_process.carriers = this;
  struct sigaction own = {};
  own.sa_sigaction = on_signal;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&own.sa_mask);
  for (const int number : errors) {
    system_sigaction(number, nullptr, &programs_[number]);
    system_sigaction(number, &own, nullptr);
  }
  system_sigaction(travel_signal(), &own, nullptr);
  most_at_work_ = count;
  for (uint32_t i = 0; i < count * guests_for_one; ++i)
    carriers_.push_back(std::make_unique<Carrier>(*this, memory.add_host()));
  for (const auto& carrier : carriers_)
    create_thread(
        [](void* argument) -> void* {
          static_cast<Carrier*>(argument)->run();
          return nullptr;
        },
        carrier.get());
}

Carriers::Taken Carriers::departed(uint32_t from, const DepartureMessage& departure) {
  const Segment stacks = AddressPlan::stack_part(origin);
  const bool has_room = departure.context % context_alignment == 0 && stacks.contains(departure.context) &&
                        stacks.contains(departure.context + context_room - 1);
  const bool has_guard = departure.guard % page_bytes == 0 && stacks.contains(departure.guard);
  if (from != origin || !exist() || !has_room || !has_guard || !stacks.contains(departure.thread_pointer))
    return Taken::Impossible;
  const auto takes = [&](const auto& carrier) { return carrier->take(departure); };
  if (at_work() < most_at_work_ && std::any_of(carriers_.begin(), carriers_.end(), takes))
    return Taken::Yes;
  messages_->send_homecoming({departure.deputy, 0, 0, uint64_t(Homecoming::Refused), 0});
  return Taken::No;
}

bool Carriers::call_home(uint32_t from, uint64_t deputy) const {
  if (from != origin)
    return false;
  for (const auto& carrier : carriers_)
    carrier->call_home(deputy);
  return true;
}

bool Carriers::invite_home(uint32_t from, uint64_t deputy, Invitation invitation) const {
  if (from != origin)
    return false;
  for (const auto& carrier : carriers_)
    carrier->invite_home(deputy, invitation);
  return true;
}

bool Carriers::answered(uint64_t deputy, const GuestAnswer& answer) const {
  for (const auto& carrier : carriers_)
    if (carrier->deputy() == deputy && carrier->has_host()) {
      carrier->answered(answer);
      return true;
    }
  return false;
}

uint32_t Carriers::at_work() const {
  return uint32_t(std::count_if(carriers_.begin(), carriers_.end(), [](const auto& one) { return one->is_at_work(); }));
}

HETMP_GUESTS_VARIABLES void Carriers::on_signal(int number, siginfo_t* info, void* context) {
  for (const auto& carrier : this_process.carriers->carriers_)
    if (carrier->is_on_signal_stack(&number)) {
      if (carrier->meet_signal(number, *static_cast<ucontext_t*>(context)))
        return;
      break;
    }
  if (number == SIGSEGV && this_process.carriers->closed_->contains(uintptr_t(info->si_addr)))
    return this_process.carriers->meet_closed_memory();
  this_process.carriers->pass_on(number, info, context);
}

/// A thread that works on this node itself, with the program's own code, wants what guests must not see.
void Carriers::meet_closed_memory() const {
  for (const auto& carrier : carriers_)
    carrier->call_home();
  closed_->wait_until_open();
}

/// To whom the signal would have gone if there were no carriers.
void Carriers::pass_on(int number, siginfo_t* info, void* context) const {
  const struct sigaction& action = programs_[number];
  if (action.sa_flags & SA_SIGINFO)
    return action.sa_sigaction(number, info, context);
  if (action.sa_handler == SIG_DFL && number != travel_signal()) {
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    system_sigaction(number, &usual, nullptr); // when this returns, it happens again
    return;
  }
  if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL)
    action.sa_handler(number);
}

int Carriers::set_action(int number, const struct sigaction* action, struct sigaction* before) {
  if (before)
    *before = programs_[number];
  if (action)
    programs_[number] = *action;
  return 0;
}

} // namespace hetmp::dsm
