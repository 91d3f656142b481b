#include "runtime/regions/travelling.hpp"

#include "base/mixed.hpp"
#include "dsm/fabric.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/regions/placing.hpp"
#include "runtime/regions/region.hpp"
#include "runtime/regions/region_plan.hpp"
#include "runtime/sync/cancellation.hpp"
#include "runtime/tasking/task_journey.hpp"
#include "runtime/team/events.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "runtime/wait/wait.hpp"

#include <algorithm>

namespace hetmp::runtime::travelling {
namespace {

double us(int64_t ns) { return double(ns) / 1000; }
int64_t ns(double us) { return int64_t(us * 1000); }

class Travels {
 public:
  void attach(const dsm::Fabric& fabric) {
    fabric_ = &fabric;
    cpus_ = layout().cpu_counts();
    const CodeRange code = code_that_calls_program();
    fabric.let_return_by(code.begin, code.end);
  }
  /// Of each node.
  const std::vector<uint32_t>& cpus() const { return cpus_; }
  const dsm::Fabric* fabric() const { return fabric_ && fabric_->begin_journey ? fabric_ : nullptr; }

  std::string why_nobody_travels() const {
    const char* const reason = fabric_ ? fabric_->why_no_journeys() : nullptr;
    return reason ? reason : "";
  }

  /// `travellers`: of the region's threads.
  bool begin(uint64_t region, double now_us, uint32_t travellers) {
    const placing::Trials trials = placing::trials_beside(region, now_us);
    FutexLockGuard guard(lock_);
    ledger_.share_budget(trials.budget_taken_us);
    ledger_.leave_to_trials(trials.tell);
    permit_ = ledger_.begin(region, now_us, waited_us());
    for (GrowingAllowance::Stage* const stage : {&permit_.allowance.later, &permit_.allowance.alone})
      stage->part /= travellers;
    bring_home_what_was_given_up();
    if (permit_.travels && ledger_.regions().at(region).all_visits == 0)
      fabric_->begin_new_pages();
    visit_ = {};
    return permit_.travels;
  }
  /// For tests: at any time, and with any patience.
  bool begin_drawn(uint64_t random) {
    constexpr uint64_t delays_us = 400, allowances_us = 4000;
    FutexLockGuard guard(lock_);
    permit_ = {random % 4 != 0,
               double(random >> 8 & 0xffff) * delays_us / 0x10000,
               {.first_us = double(random >> 24 & 0xffff) * allowances_us / 0x10000},
               schedulers::TravelRules{}.page_us};
    visit_ = {};
    learns_ = false;
    return permit_.travels;
  }
  schedulers::TravelLedger::Effect end(uint64_t region, uint32_t exchanges, double now_us) {
    FutexLockGuard guard(lock_);
    if (!learns_)
      return {};
    visit_.exchanges = exchanges;
    const auto effect = ledger_.end(region, now_us, waited_us(), visit_);
    bring_home_what_was_given_up();
    return effect;
  }
  void others_begin() {
    FutexLockGuard guard(lock_);
    ledger_.others_begin(waited_us());
  }
  /// Of the region in hand; by its members, before it is over.
  const schedulers::TravelLedger::Permit& permit() const { return permit_; }
  bool are_drawn() const { return !learns_; }
  bool depart_at_once() const { return learns_ && permit_.at_once; }
  void add(const dsm::JourneySeen& seen) {
    FutexLockGuard guard(lock_);
    visit_.stays += seen.stays;
    visit_.abroad_us += us(seen.abroad_ns);
    visit_.computed_us += us(seen.computed_ns);
    visit_.longer_us += us(seen.longer_ns);
    visit_.pages += seen.pages;
    visit_.fetched += seen.fetched;
    visit_.thread_us = std::max(visit_.thread_us, us(seen.cpu_ns));
    visit_.changes += seen.changes;
    visit_.changes_waited_us += us(seen.changes_waited_ns);
  }
  std::map<uint64_t, schedulers::TravelLedger::Region> regions() {
    FutexLockGuard guard(lock_);
    return ledger_.regions();
  }
  double budget_taken_us() {
    FutexLockGuard guard(lock_);
    return ledger_.committed_us();
  }
  void recall(schedulers::JourneyLessons lessons) {
    FutexLockGuard guard(lock_);
    ledger_.recall(std::move(lessons));
  }
  schedulers::JourneyLessons lessons() {
    FutexLockGuard guard(lock_);
    return ledger_.lessons();
  }

 private:
  void bring_home_what_was_given_up() {
    if (ledger_.take_given_up())
      fabric_->bring_home();
  }
  double waited_us() const {
    dsm::FaultCounters counters;
    fabric_->read_faults(&counters);
    return us(int64_t(counters.moving_ns()));
  }

  const dsm::Fabric* fabric_ = nullptr; ///< final before there are teams
  std::vector<uint32_t> cpus_;          ///< likewise
  FutexLock lock_;
  bool learns_ = true;                      ///< of the region in hand; the main thread's
  schedulers::TravelLedger ledger_;         ///< with the lock
  schedulers::TravelLedger::Permit permit_; ///< the main thread's, between its regions; members read it
  schedulers::TravelLedger::Visit visit_;   ///< with the lock
};

Travels& travels() {
  static Travels& instance = *new Travels; // never destroyed: threads may outlive static objects
  return instance;
}

uint32_t cpus_of_all() {
  uint32_t cpus = 0;
  for (const auto& of_node : layout().cpus)
    cpus += uint32_t(of_node.size());
  return cpus;
}

/// Which node has the CPU that the member would have if the team were dealt to all nodes.
uint32_t node_of(uint32_t member) {
  uint32_t place = member % std::max(cpus_of_all(), 1u);
  for (uint32_t node = 0; node < layout().nodes(); ++node) {
    const auto here = uint32_t(layout().cpus[node].size());
    if (place < here)
      return node;
    place -= here;
  }
  return 0;
}

} // namespace

void attach(const dsm::Fabric& fabric) { travels().attach(fabric); }

void begin_region(const Thread& self, const void* microtask, RegionPlan& plan) {
  if (!travels().fabric() || !self.executes_main)
    return;
  const RegionChoice& choice = placement().regions;
  if (!plan.stays_here()) {
    if (choice.kind == RegionChoice::Kind::Auto)
      travels().others_begin();
    return;
  }
  const auto at_home = uint32_t(layout().cpus[0].size());
  if (plan.threads <= at_home || self.task->level != 0)
    return;
  if (choice.kind == RegionChoice::Kind::Random || choice.kind == RegionChoice::Kind::Journeys)
    plan.travels = travels().begin_drawn(mixed(choice.seed, uint64_t(monotonic_nanoseconds())));
  else if (choice.kind == RegionChoice::Kind::Auto)
    plan.travels = travels().begin(reinterpret_cast<uint64_t>(microtask), placing::met_us(), plan.threads - at_home);
  else
    return;
  plan.could_travel = true;
}

bool departs_at_once() { return travels().depart_at_once(); }

schedulers::TravelLedger::Effect region_is_over(const void* microtask, uint32_t exchanges, double over_us) {
  return travels().end(reinterpret_cast<uint64_t>(microtask), exchanges, over_us);
}

namespace {

/// `node`, `base` and `room`: see dsm::Journey.
void begin_journey(const ImplicitTask& member, uint32_t node, const void* base, void* room) {
  const schedulers::TravelLedger::Permit& permit = travels().permit();
  const std::vector<uint32_t>& cpus = travels().cpus();
  const dsm::Journey journey{node,
                             member.team->description.microtask,
                             base,
                             room,
                             &own_thread.record,
                             make_guest_call,
                             task_is_over,
                             ns(permit.delay_us),
                             permit.allowance,
                             ns(permit.page_us),
                             ns(permit.change_us),
                             ns(permit.thread_us),
                             spinning.has_cpus() ? cpus.data() : nullptr,
                             uint32_t(cpus.size()),
                             member.team_size > cpus_of_all(),
                             travels().are_drawn()};
  travels().fabric()->begin_journey(&journey);
}

void end_journey() {
  dsm::JourneySeen seen;
  travels().fabric()->end_journey(&seen);
  if (seen.stays + seen.refused != 0)
    travels().add(seen);
}

/// Of a member whose CPU is another node's.
void begin_members_journey(ImplicitTask& member, uint32_t node, const void* base, void* room) {
  const dsm::Fabric& fabric = *travels().fabric();
  begin_journey(member, node, base, room);
  member.has_waited = fabric.has_waited;
  member.journey_is_drawn = travels().are_drawn();
  member.signs = fabric.task_signs();
  member.time_elsewhere = fabric.time_elsewhere;
}

void end_members_journey(ImplicitTask& member) {
  if (!member.has_waited)
    return;
  member.has_waited = nullptr;
  member.signs = nullptr;
  end_journey();
}

/// Whether a thread whose CPU is here may leave that if it is denied it. Where node processes share CPUs, others may
/// have those that seem to be free. In a short visit nothing is gained. Tasks are taken by whoever has time for them.
bool may_leave_slow_cpu() {
  constexpr double least_us = 3000;
  const double usual_us = travels().permit().usual_us;
  return travels().are_drawn() || (spinning.has_cpus() && (usual_us == 0 || usual_us >= least_us));
}

/// For tests.
uint32_t drawn_node(uint32_t member) { return 1 + member % (layout().nodes() - 1); }

} // namespace

TasksJourney::TasksJourney(ImplicitTask& member) : member_(member) {
  if (const uint32_t node = node_of(member.local_number); node != 0)
    begin_members_journey(member, node, this, room_);
}
TasksJourney::~TasksJourney() { end_members_journey(member_); }

__attribute__((noinline)) void execute(Thread& self, NodeTeam& team) {
  const TeamDescription& description = team.description;
  ImplicitTask& member = *self.task;
  void (*const come_home)() = travels().fabric()->come_home;
  const events::ExecutingRegion executing(member);
  const void* stack_pointer;
  asm volatile("mov %%rsp, %0" : "=r"(stack_pointer));
  alignas(dsm::context_alignment) char room[dsm::context_room];
  const uint32_t node = node_of(member.local_number);
  const bool watches_cpu = node == 0 && may_leave_slow_cpu();
  if (node != 0)
    begin_members_journey(member, node, stack_pointer, room);
  else if (watches_cpu)
    begin_journey(member, travels().are_drawn() ? drawn_node(member.local_number) : 0, stack_pointer, room);
  description.invoke(description.microtask, self.gtid, int(member.number), description.argument_count, team.arguments);
  come_home(); // before anything else: what follows is this process's own
  if (watches_cpu)
    end_journey();
  else
    end_members_journey(member);
  if (regions_may_be_cancelled) [[unlikely]]
    meet_at_end(member);
}

std::map<uint64_t, schedulers::TravelLedger::Region> regions() { return travels().regions(); }

std::string why_nobody_travels() { return travels().why_nobody_travels(); }

double budget_taken_us() { return travels().budget_taken_us(); }

void recall(schedulers::JourneyLessons lessons) { travels().recall(std::move(lessons)); }
schedulers::JourneyLessons lessons() { return travels().lessons(); }

} // namespace hetmp::runtime::travelling
