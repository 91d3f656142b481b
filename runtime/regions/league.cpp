#include "runtime/regions/league.hpp"

#include "base/check.hpp"
#include "runtime/regions/fork.hpp"
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
void begin_team(Thread& self, const void* source, const League& league, uint32_t number) {
  const ImplicitTask& around = *self.task;
  begin_serial_region(self, source);
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
  for (uint32_t number = 0; number < league.teams; number++) {
    begin_team(self, source, league, number);
    affinity::seat_team_of_league(self, place, number, league.teams);
    invoke(microtask, self.gtid, 0, count, arguments);
    end_serial_region(self);
  }
  affinity::leave_league(self, place);
}

} // namespace hetmp::runtime
