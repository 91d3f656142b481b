#include "runtime/regions/placing.hpp"

#include "base/environment.hpp"
#include "base/variables/variable.hpp"
#include "runtime/process/nodes.hpp"
#include "runtime/process/placement.hpp"
#include "runtime/process/withdrawal.hpp"
#include "runtime/team/implicit_task.hpp"
#include "runtime/team/thread.hpp"
#include "schedulers/policies/policy_table.hpp"

#include <atomic>
#include <cstdio>
#include <optional>
#include <unistd.h>

namespace hetmp::runtime::placing {
namespace {

const int64_t program_began = monotonic_nanoseconds(); // when the library was loaded, before main

double now_us() { return double(monotonic_nanoseconds() - program_began) / 1000; }

/// Of this process: what its regions may touch, and other nodes may have to fetch.
double resident_mib() {
  FILE* file = fopen("/proc/self/statm", "re");
  unsigned long pages = 0;
  if (file) {
    if (fscanf(file, "%*u %lu", &pages) != 1)
      pages = 0;
    fclose(file);
  }
  return double(pages) * double(sysconf(_SC_PAGESIZE)) / double(1 << 20);
}

/// Of the program's main thread, whose regions follow each other; other threads' regions stay at home.
struct Learner {
  schedulers::RegionPlacer placer;
  bool asked = false; ///< for the region in hand
};
Learner& learner() {
  static Learner& instance = *new Learner; // never destroyed: threads may outlive static objects
  return instance;
}
bool is_main_thread(const Thread& self) { return self.root && self.gtid == 0; }

/// Drawn anew for each region, in an order that the seed decides.
bool draw(uint64_t seed) {
  static std::atomic<uint64_t> drawn{0};
  uint64_t bits =
      seed * 0x9e3779b97f4a7c15u + drawn.fetch_add(1, std::memory_order_relaxed); // relaxed: only the number
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return (bits >> 63) != 0;
}

/// The user's words about loops hold in all regions that they may concern.
bool loops_are_placed(const Thread& self) {
  return placement().static_loops || !placement().speeds.all_equal() ||
         schedulers::is_placed(self.task->icvs.run_schedule.kind);
}

StaysHere choose_by_knowledge(const Thread& self, const RegionFacts& facts, const void* microtask) {
  if (loops_are_placed(self))
    return StaysHere::No;
  if (threads_are_bound())
    return StaysHere::HasThreadVariables;
  if (!is_main_thread(self) || facts.threads <= facts.cpus[0])
    return StaysHere::FitsHere;
  learner().asked = true;
  return learner().placer.begin(reinterpret_cast<uint64_t>(microtask), now_us(), resident_mib) ? StaysHere::No
                                                                                               : StaysHere::PaysHere;
}

} // namespace

StaysHere decide(const Thread& self, const RegionFacts& facts, const void* microtask) {
  const RegionChoice& choice = placement().regions;
  switch (choice.kind) {
  case RegionChoice::Kind::All:
    return StaysHere::No;
  case RegionChoice::Kind::Origin:
    return StaysHere::AskedFor;
  case RegionChoice::Kind::Random: {
    static const bool once = draw(choice.seed);
    return (threads_stay_where_they_are() ? once : draw(choice.seed)) ? StaysHere::No : StaysHere::AskedFor;
  }
  case RegionChoice::Kind::Auto:
    break;
  }
  return choose_by_knowledge(self, facts, microtask);
}

void region_is_over(const Thread& self, const schedulers::VisitSeen& seen) {
  if (!is_main_thread(self) || !learner().asked)
    return;
  learner().asked = false;
  learner().placer.end(now_us(), seen);
}

const schedulers::RegionPlacer* knowledge() {
  const schedulers::RegionPlacer& placer = learner().placer;
  return placer.regions().empty() ? nullptr : &placer;
}

} // namespace hetmp::runtime::placing
