#include "runtime/regions/placing.hpp"

#include "base/machine/process_status.hpp"
#include "base/mixed.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/regions/short_turns.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/futex_lock.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <atomic>
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
  rules.nodes = uint32_t(layout().nodes());
  rules.bring_us_per_mib *= layout().hosts ? from_another_machine : 1;
  return rules;
}

/// Of the program's main thread, whose regions follow each other; other threads' regions stay at home, and are counted.
struct Learner {
  FutexLock lock; ///< of the three that follow: a report may come from another thread, while main runs on
  schedulers::RegionPlacer placer{rules()};
  std::map<uint64_t, const void*> idents;              ///< of its regions
  ShortTurns turns;                                    ///< which main alone changes
  bool asked = false;                                  ///< for the region in hand; the main thread's own
  double met_us = 0;                                   ///< likewise: when it was, if that or turns depend on it
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

StaysHere ask_learner(const Construct& construct) {
  Learner& known = learner();
  const auto region = reinterpret_cast<uint64_t>(construct.microtask);
  known.asked = true;
  known.met_us = now_us();
  const double travelling_us = travelling::budget_taken_us();
  FutexLockGuard guard(known.lock);
  known.placer.share_budget(travelling_us);
  const size_t before = known.placer.regions().size();
  const bool spreads = known.placer.begin(region, known.met_us, resident_mib);
  if (construct.source && known.placer.regions().size() != before)
    known.idents.emplace(region, construct.source);
  return spreads ? StaysHere::No : StaysHere::PaysHere;
}

StaysHere choose_by_knowledge(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  if (loops_are_placed(self, construct.microtask))
    return StaysHere::No;
  if (threads_are_bound())
    return StaysHere::HasThreadVariables;
  if (regions_stay_at_home())
    return StaysHere::HasProcessState;
  if (!self.executes_main || facts.threads <= facts.cpus[0])
    return StaysHere::FitsHere;
  return ask_learner(construct);
}

/// The region in hand stays where fewer CPUs are than it has threads.
void begin_turns(const Construct& construct) {
  Learner& known = learner();
  if (!known.asked)
    known.met_us = now_us();
  known.turns.begin(reinterpret_cast<uint64_t>(construct.microtask), layout().cpus[0]);
}

StaysHere choose(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  const RegionChoice& choice = placement().regions;
  switch (choice.kind) {
  case RegionChoice::Kind::All:
    return StaysHere::No;
  case RegionChoice::Kind::Origin:
  case RegionChoice::Kind::Journeys:
    return StaysHere::AskedFor;
  case RegionChoice::Kind::Random: {
    static const bool once = draw(choice.seed);
    return (threads_stay_where_they_are() ? once : draw(choice.seed)) ? StaysHere::No : StaysHere::AskedFor;
  }
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

StaysHere decide(const Thread& self, const RegionFacts& facts, const Construct& construct) {
  const StaysHere choice = choose(self, facts, construct);
  if (!self.executes_main || !learner().asked)
    count_visit(choice);
  if (self.executes_main && choice != StaysHere::No && facts.threads > facts.cpus[0])
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

void region_is_over(const Thread& self, const schedulers::VisitSeen& seen, std::optional<double> over_us) {
  Learner& known = learner();
  if (!self.executes_main || (!known.asked && !known.turns.in_region()))
    return;
  const double now = over_us ? *over_us : now_us();
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
