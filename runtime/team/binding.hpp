// Threads go to their places.
#pragma once

#include "runtime/affinity/seats.hpp"

#include <cstdint>

namespace hetmp::runtime {
struct ImplicitTask;
struct NodeTeam;
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::affinity {

/// bind-var of a task.
ProcBind policy_of(const runtime::ImplicitTask& task);

/// Binds an initial thread to the first place, once, if the program's threads are bound.
void seat_initial_thread(runtime::Thread& self);

/// Seats for the threads of a team on this node that `primary` is about to start; `clause` is the construct's proc_bind
/// clause, or negative. Without binding the team has no seats.
void prepare_seats(runtime::Thread& primary, runtime::NodeTeam& team, int clause);

/// The team has no seats: its threads stay where they are.
void leave_seats(runtime::NodeTeam& team);

/// The calling thread enters the team as thread `local_number`: moves it to its place if it is elsewhere.
void take_seat(runtime::Thread& self, runtime::NodeTeam& team, uint32_t local_number);

/// The primary thread has left a team that has seats: after an outermost region, KMP_AFFINITY=reset gives it back the
/// program's CPUs.
void leave_bound_team(runtime::Thread& self);

/// A league's teams sit like the threads of a team (KMP_TEAMS_PROC_BIND), except that one thread executes them all and
/// goes from seat to seat. First: the place from which they are counted, negative if threads are not bound.
int place_for_league(runtime::Thread& self);
/// `self` has begun to execute team `number`, whose initial task still has the partition around the league.
void seat_team_of_league(runtime::Thread& self, int place, uint32_t number, uint32_t teams);
/// After the last team: back to where the league was met, or as leave_bound_team().
void leave_league(runtime::Thread& self, int place);

} // namespace hetmp::affinity
