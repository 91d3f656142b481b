#include "runtime/team/binding.hpp"

#include "base/check.hpp"
#include "base/environment.hpp"
#include "base/machine/cpu_list.hpp"
#include "runtime/affinity/environment.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"
#include "runtime/wait/write_changed.hpp"

#include <algorithm>

namespace hetmp::affinity {

using runtime::ImplicitTask;
using runtime::NodeTeam;
using runtime::Thread;

namespace {

void move_to(Thread& self, uint32_t place) {
  HETMP_CHECK(place < program_places().places.size());
  if (self.place == int(place))
    return;
  // A refusal (the process's CPUs have been taken away since) leaves the thread where it is: slower, but right.
  bind_thread(program_places().places[place]);
  self.place = int(place);
}

/// Of the construct, as the clause or bind-var says. False wins over any clause.
ProcBind policy_for(const ImplicitTask& task, int clause) {
  const ProcBind usual = policy_of(task);
  if (usual == ProcBind::False || clause < int(ProcBind::Primary) || clause > int(ProcBind::Spread))
    return usual;
  return ProcBind(clause);
}

} // namespace

ProcBind policy_of(const ImplicitTask& task) {
  const std::vector<ProcBind>& policies = program_places().policies;
  HETMP_CHECK(!policies.empty());
  return policies[std::min<size_t>(task.level, policies.size() - 1)];
}

void seat_initial_thread(Thread& self) {
  if (!program_places().bind() || !self.root || self.place >= 0)
    return;
  self.task->icvs.places = {0, uint32_t(program_places().places.size())};
  move_to(self, 0);
}

void prepare_seats(Thread& primary, NodeTeam& team, int clause) {
  if (!program_places().bind()) {
    leave_seats(team);
    return;
  }
  seat_initial_thread(primary);
  const ImplicitTask& task = *primary.task;
  const uint32_t threads = team.local_threads();
  const SeatPlan plan{policy_for(task, clause), threads, task.icvs.places, uint32_t(std::max(primary.place, 0))};
  if (plan == team.seat_plan && team.seats.size() == threads)
    return;
  team.seat_plan = plan;
  team.seats.clear();
  if (plan.policy == ProcBind::False || plan.partition.count == 0)
    return;
  for (uint32_t thread = 0; thread < threads; thread++)
    team.seats.push_back(seat_of(plan.policy, thread, threads, plan.partition, plan.primary_place));
}

int place_for_league(Thread& self) {
  seat_initial_thread(self);
  return self.place;
}

void seat_team_of_league(Thread& self, int place, uint32_t number, uint32_t teams) {
  const ProcBind policy = program_places().teams_policy;
  if (place < 0 || policy == ProcBind::False)
    return;
  const Seat seat = seat_of(policy, number, teams, self.task->icvs.places, uint32_t(place));
  self.task->icvs.places = seat.partition;
  move_to(self, seat.place);
}

void leave_bound_team(Thread& self) {
  if (!program_places().reset() || !self.root || self.task != &self.initial)
    return;
  bind_thread(program_places().cpus); // a refusal is as in move_to()
  self.place = -1;
}

void leave_league(Thread& self, int place) {
  if (place < 0)
    return;
  move_to(self, uint32_t(place));
  leave_bound_team(self);
}

void leave_seats(NodeTeam& team) {
  runtime::write_changed(team.seat_plan, SeatPlan{});
  if (!team.seats.empty())
    team.seats.clear();
}

void take_seat(Thread& self, NodeTeam& team, uint32_t local_number) {
  if (team.seats.empty())
    return;
  HETMP_CHECK(local_number < team.seats.size());
  const Seat& seat = team.seats[local_number];
  team.members[local_number].icvs.places = seat.partition;
  move_to(self, seat.place);
}

} // namespace hetmp::affinity
