#include "runtime/regions/placing.hpp"

#include "base/clock.hpp"
#include "base/machine/cpu_idle.hpp"
#include "base/machine/cpu_quota.hpp"
#include "base/machine/process_status.hpp"
#include "base/mixed.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/lending.hpp"
#include "runtime/regions/short_turns.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "schedulers/placement/home_speed.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <unistd.h>
#include <utility>

namespace hetmp::runtime::placing {
namespace {

/// When the runtime was first needed, or loaded: before main. Asked for first by whatever is earlier.
int64_t program_began() {
  static const int64_t began = monotonic_nanoseconds();
  return began;
}
[[maybe_unused]] const int64_t at_load = program_began();

/// What the regions of this process may touch, and other nodes may have to fetch.
double resident_mib() { return double(resident_bytes()) / double(1 << 20); }

/// What trials may cost here: memory comes slowly from another machine.
schedulers::PlacementRules rules() {
  constexpr double from_another_machine = 4; // times as long
  schedulers::PlacementRules rules;
  const std::vector<uint32_t> cpus = layout().cpu_counts();
  rules.nodes = uint32_t(cpus.size());
  rules.cpus_at_home = cpus[0];
  rules.cpus_there = cpus[node_to_lend_to(cpus)];
  rules.all_cpus = std::accumulate(cpus.begin(), cpus.end(), 0u);
  rules.bring_us_per_mib *= layout().hosts ? from_another_machine : 1;
  return rules;
}

/// The main thread's own, as far as the quota of its process tells.
schedulers::HomeSpeed expected_home_speed() {
  schedulers::HomeSpeed speed{double(layout().cpus[0].size())};
  if (layout().granted)
    speed.expect_quota(*layout().granted);
  return speed;
}

/// Of the program's main thread, whose regions follow each other; other threads' regions stay at home, and are counted.
struct Learner {
  FutexLock lock; ///< of the three that follow: a report may come from another thread, while main runs on
  schedulers::RegionPlacer placer{rules()};
  std::map<uint64_t, const void*> idents; ///< of its regions
  ShortTurns turns;                       ///< which main alone changes
  schedulers::HomeSpeed home_speed = expected_home_speed();
  const double all_cpus = double(sysconf(_SC_NPROCESSORS_CONF)); ///< of the machine: to ask reads a file
  double looked_us = 0;                                          ///< likewise: when that was looked at last
  int64_t executed_ns = -1;       ///< likewise: of the process, when the region in hand began; negative: nobody looks
  std::optional<double> idle_us;  ///< likewise: of the origin's CPUs; none: nobody asks
  bool asked = false;             ///< for the region in hand; the main thread's own
  bool sees_bound_calls = false;  ///< likewise: the region in hand is at home, and its calls are noticed
  uint64_t in_hand = 0;           ///< likewise: the region
  std::map<uint64_t, bool> drawn; ///< likewise: those whose places are drawn, when they have been at home; whether they
                                  ///< are bound to it
  double met_us = 0;              ///< likewise: when it was, if that or turns depend on it
  std::array<std::atomic<uint64_t>, reasons> others{}; ///< visits of all other regions; relaxed: only the numbers
};
Learner& learner() {
  static Learner& instance = *new Learner; // never destroyed: threads may outlive static objects
  return instance;
}

/// Drawn anew for each region, in an order that the seed decides.
bool draw(uint64_t seed) {
  static std::atomic<uint64_t> drawn{0};
  return mixed(seed, drawn.fetch_add(1, std::memory_order_relaxed)) >> 63 != 0; // relaxed: only the number
}

/// Whether the user has said something of loops that the program seems to have.
bool speaks_of_loops(const Thread& self) {
  const LoopKinds kinds = expected_loops();
  return !placement().speeds.all_equal() || (placement().static_loops && kinds.compiled) ||
         (schedulers::is_placed(self.task->icvs.run_schedule.kind) && kinds.runtime);
}

/// The user's words about loops hold in regions that have such loops, or may have them. Where thread numbers have to
/// stay with their threads, all regions are alike.
bool loops_are_placed(const Thread& self, const void* microtask) {
  if (!speaks_of_loops(self))
    return false;
  if (threads_are_bound() || !placement().speeds.all_equal())
    return true;
  const PlacedLoops known = placed_loops_of(microtask);
  return known == PlacedLoops::Unknown || known == PlacedLoops::OnNodes;
}

/// Between two visits of which it is asked for how long CPUs were idle: the answer takes as long as the machine has
/// CPUs, some microseconds each, which shall not be noticed.
double between_idle_us(const Learner& known) {
  constexpr double cpus = 16; // of which that is a thousandth
  return schedulers::HomeSpeed::between_idle_us * std::max(1.0, known.all_cpus / cpus);
}

/// Now and then, a visit at home: what the origin's CPUs are worth. Of long ones each, which short ones between them
/// would keep from being looked at.
void begin_look(Learner& known, const schedulers::RegionPlacer::Region& region) {
  const bool asks_for_idle = known.home_speed.asks_for_idle();
  const double between_us = asks_for_idle ? between_idle_us(known) : schedulers::HomeSpeed::between_us;
  const bool is_soon = known.met_us - known.looked_us < between_us && region.home.mean_us() < between_us;
  if (is_soon || !known.placer.all_at_home())
    return;
  known.looked_us = known.met_us;
  known.executed_ns = process_cpu_ns();
  known.idle_us = asks_for_idle ? idle_us_of(layout().cpus[0]) : std::nullopt;
}

/// `seen` is told of the time that the visit would have taken.
void end_look(Learner& known, double now_us, schedulers::VisitSeen& seen) {
  const int64_t before = std::exchange(known.executed_ns, -1);
  if (before < 0)
    return;
  const double taken_us = now_us - known.met_us, executed_us = double(process_cpu_ns() - before) / 1000;
  known.home_speed.add(taken_us, executed_us, seen.away_us);
  if (!seen.disturbed)
    seen.evenly_us = known.home_speed.evenly_us(taken_us, executed_us);
  if (const auto idle_us = known.idle_us ? idle_us_of(layout().cpus[0]) : std::nullopt)
    known.home_speed.add_idle(taken_us, executed_us, *idle_us - *known.idle_us);
  if (known.home_speed.asks_for_quota())
    known.home_speed.set_quota(cpu_quota());
}

Choice ask_learner(const Construct& construct) {
  Learner& known = learner();
  const auto region = reinterpret_cast<uint64_t>(construct.microtask);
  known.asked = true;
  known.met_us = now_us();
  const double travelling_us = travelling::budget_taken_us();
  FutexLockGuard guard(known.lock);
  known.placer.share_budget(travelling_us);
  known.placer.see_home(can_be_lent(construct), known.home_speed.share(), known.met_us);
  const size_t before = known.placer.regions().size();
  const bool is_away = known.placer.begin(region, known.met_us, resident_mib);
  if (construct.source && known.placer.regions().size() != before)
    known.idents.emplace(region, construct.source);
  if (is_away)
    return {StaysHere::No, known.placer.away() == schedulers::Site::OtherNode};
  begin_look(known, known.placer.regions().at(region));
  return {StaysHere::PaysHere};
}

Choice choose_by_knowledge(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  if (loops_are_placed(self, construct.microtask))
    return {StaysHere::No};
  if (threads_are_bound())
    return {StaysHere::HasThreadVariables};
  if (regions_stay_at_home())
    return {StaysHere::HasProcessState};
  if (!self.executes_main || facts.threads <= facts.cpus[0])
    return {StaysHere::FitsHere};
  return ask_learner(construct);
}

/// The region in hand stays where fewer CPUs are than it has threads.
void begin_turns(const Construct& construct) {
  Learner& known = learner();
  if (!known.asked)
    known.met_us = now_us();
  known.turns.begin(reinterpret_cast<uint64_t>(construct.microtask), layout().cpus[0]);
}

/// For tests: at home, on all nodes or, when it is known that it can be, lent.
Choice draw_choice(const Construct& construct, uint64_t seed) {
  static const bool once = draw(seed);
  if (!(threads_stay_where_they_are() ? once : draw(seed)))
    return {StaysHere::AskedFor};
  const auto known = learner().drawn.find(reinterpret_cast<uint64_t>(construct.microtask));
  const bool is_free = known != learner().drawn.end() && !known->second;
  return {StaysHere::No, is_free && can_be_lent(construct) && draw(seed)};
}

Choice choose(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  const RegionChoice& choice = placement().regions;
  switch (choice.kind) {
  case RegionChoice::Kind::All:
    return {StaysHere::No};
  case RegionChoice::Kind::Origin:
  case RegionChoice::Kind::Journeys:
    return {StaysHere::AskedFor};
  case RegionChoice::Kind::Lent:
    return can_be_lent(construct) ? Choice{StaysHere::No, true} : Choice{StaysHere::AskedFor};
  case RegionChoice::Kind::Random:
    return draw_choice(construct, choice.seed);
  case RegionChoice::Kind::Auto:
    break;
  }
  return choose_by_knowledge(self, facts, construct);
}

} // namespace

Trials trials_beside(uint64_t region, double now_us) {
  FutexLockGuard guard(learner().lock);
  const schedulers::RegionPlacer& placer = learner().placer;
  const auto known = placer.regions().find(region);
  return {placer.committed_us(), known != placer.regions().end() && placer.is_for_trials(known->second, now_us)};
}

double now_us() { return double(monotonic_nanoseconds() - program_began()) / 1000; }

Choice decide(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  const Choice choice = choose(self, facts, construct);
  if (!self.executes_main || !learner().asked)
    count_visit(choice.stays);
  if (self.executes_main) {
    learner().in_hand = reinterpret_cast<uint64_t>(construct.microtask);
    learner().sees_bound_calls = choice.stays != StaysHere::No;
    took_bound_call(); // what was called before is not this region's
  }
  if (self.executes_main && choice.stays != StaysHere::No && facts.threads > facts.cpus[0])
    begin_turns(construct);
  return choice;
}

void count_visit(StaysHere reason) {
  learner().others[size_t(reason)].fetch_add(1, std::memory_order_relaxed); // relaxed: see Learner
}

double met_us() {
  const Learner& known = learner();
  return known.asked || known.turns.in_region() ? known.met_us : now_us();
}

void region_is_over(const Thread& self, schedulers::VisitSeen seen, std::optional<double> over_us) {
  Learner& known = learner();
  if (!self.executes_main || self.task->active_level != 0) // the region in hand is around this one
    return;
  const bool was_at_home = std::exchange(known.sees_bound_calls, false);
  seen.bound |= was_at_home && took_bound_call();
  seen.short_turns = known.turns.usual_turns_of(known.in_hand) != 0;
  if (placement().regions.kind == RegionChoice::Kind::Random && (was_at_home || seen.bound))
    known.drawn[known.in_hand] |= seen.bound || seen.short_turns;
  if (!known.asked && !known.turns.in_region())
    return;
  const double now = over_us ? *over_us : now_us();
  end_look(known, now, seen);
  FutexLockGuard guard(known.lock);
  if (std::exchange(known.asked, false))
    known.placer.end(now, seen);
  if (!known.turns.in_region())
    return;
  if (const auto region = known.turns.end(now - known.met_us, seen.trips, !seen.disturbed))
    known.placer.home_has_changed(*region);
}

Knowledge knowledge() {
  Learner& known = learner();
  FutexLockGuard guard(known.lock);
  Knowledge copy{known.placer,
                 known.idents,
                 {},
                 now_us(),
                 travelling::regions(),
                 node_to_lend_to(layout().cpu_counts()),
                 travelling::why_nobody_travels(),
                 known.turns.usual_turns_us()};
  for (size_t reason = 0; reason < reasons; ++reason)
    copy.others[reason] = known.others[reason].load(std::memory_order_relaxed); // relaxed: see Learner
  return copy;
}

void recall(schedulers::PlacementLessons lessons) {
  FutexLockGuard guard(learner().lock);
  learner().placer.recall(std::move(lessons));
}

schedulers::PlacementLessons lessons() {
  FutexLockGuard guard(learner().lock);
  return learner().placer.lessons();
}

} // namespace hetmp::runtime::placing
