// Regions whose primary executes its part by itself, between two calls.
#include "runtime/regions/fork.hpp"
#include "runtime/regions/team_setup.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/display.hpp"
#include "runtime/team/team_size.hpp"
#include "runtime/team/worker_pool.hpp"

#include <utility>

namespace hetmp::runtime {

/// What lasts as long as a region that is open.
struct OpenRegion {
  OpenRegion(Thread& primary, uint32_t threads) : contention(counted_group(*primary.task), threads), crew(primary) {}
  ContentionScope contention;
  CrewScope crew;
};

void begin_open_region(Thread& self, void* microtask, uint32_t count, void* const* arguments, Invoker invoke) {
  const int proc_bind = std::exchange(self.pushed_proc_bind, -1);
  const uint32_t threads = wanted_threads(self);
  if (threads == 1) {
    use_strict_clause(self, 1);
    begin_serial_region(self, nullptr);
    self.open_regions.push_back(nullptr);
    return;
  }
  OpenRegion* region = new OpenRegion(self, threads);
  resize_crew(self, threads - 1);
  NodeTeam& team = acquire_team(self);
  team.enclosing = self.task;
  describe(team, self, nullptr, uint32_t(self.crew.size()) + 1);
  reserve_members(team, team.local_threads());
  keep_arguments(team, microtask, count, arguments);
  affinity::prepare_seats(self, team, proc_bind);
  affinity::choose_display(self, team);
  team.description.invoke = invoke;
  start_workers(self, team);
  enter(self, team, 0);
  self.open_regions.push_back(region);
}

void end_open_region(Thread& self) {
  if (self.open_regions.empty())
    return; // the program ends what it has not begun
  NodeTeam& team = *self.task->team;
  finish_region(self, team);
  leave(self, team);
  if (!team.seats.empty()) [[unlikely]]
    affinity::leave_bound_team(self);
  delete self.open_regions.back(); // null: it had one thread
  self.open_regions.pop_back();
}

} // namespace hetmp::runtime
