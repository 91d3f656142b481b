#include "runtime/regions/league.hpp"

#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/regions/region.hpp"
#include "runtime/team/binding.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// The device is the host, but knows nothing of the regions around: levels begin anew, and ICVs as at the program's
/// start.
void begin_on_device(ImplicitTask& initial, const ImplicitTask& around) {
  TeamDescription& team = initial.team->description;
  team.level = initial.level = 0;
  team.active_level = initial.active_level = 0;
  team.listed.count = 0;
  initial.icvs = program_icvs().initial;
  initial.icvs.places = around.icvs.places;
}

/// An initial thread: what it executes is no parallel region, so the level stays.
void begin_team(Thread& self, const void* source, const League& league, uint32_t number, ompt::RegionRecord* observed) {
  const ImplicitTask& around = *self.task;
  self.pushed_threads = 0;
  self.pushed_strict.threads = 0;
  begin_region_of_one(self, source, observed);
  ImplicitTask& initial = *self.task;
  HETMP_CHECK(number < league.teams && initial.team->alone() && initial.number == 0);
  TeamDescription& team = initial.team->description;
  initial.team->contention = nullptr; // a group of its own
  set_league_place(initial, {league.teams, number});
  team.level = initial.level = around.level;
  initial.icvs = around.icvs;
  if (league.on_device)
    begin_on_device(initial, around);
  if (league.thread_limit != 0)
    initial.icvs.thread_limit = std::min(initial.icvs.thread_limit, league.thread_limit);
  team.icvs = initial.icvs;
}

} // namespace

LeaguePlace league_place(const ImplicitTask& task) {
  const TeamDescription& team = task.team->description;
  return {team.league_teams, team.league_number};
}

void set_league_place(ImplicitTask& initial, LeaguePlace place) {
  initial.team->description.league_teams = place.teams;
  initial.team->description.league_number = place.number;
}

void execute_league(Thread& self, const void* source, const League& league, void* microtask, uint32_t count,
                    void* const* arguments, Invoker invoke) {
  const int place = affinity::place_for_league(self);
  const int invoker = invoke == invoke_microtask ? ompt::invoked_by_runtime : ompt::invoked_by_program;
  ompt::RegionRecord* const observed = ompt::region_begins(league.teams, invoker | ompt::is_league);
  for (uint32_t number = 0; number < league.teams; number++) {
    begin_team(self, source, league, number, observed);
    affinity::seat_team_of_league(self, place, number, league.teams);
    // As libomp has it, the code of a team is a region of its primary, inside its initial task.
    ompt::RegionRecord* const own = ompt::region_begins(1, invoker | ompt::is_team);
    if (own) [[unlikely]]
      ompt::implicit_task_begins(*own, 0, 1);
    invoke(microtask, self.gtid, 0, count, arguments);
    if (own) [[unlikely]] {
      ompt::implicit_task_returns();
      ompt::implicit_task_ends(1);
      ompt::region_ends(own);
    }
    end_region(self, *self.task->team);
  }
  if (observed) [[unlikely]]
    ompt::region_ends(observed);
  affinity::leave_league(self, place);
}

} // namespace hetmp::runtime
