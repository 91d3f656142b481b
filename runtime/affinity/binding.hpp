// Threads on places: what the places of the program are, and the moves of threads to theirs.
#pragma once

#include "runtime/affinity/place_list.hpp"
#include "runtime/affinity/seats.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::runtime {
struct ImplicitTask;
struct NodeTeam;
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::affinity {

/// The program's places and policies. Written once, before the first team.
struct ProgramPlaces {
  std::vector<Place> places;
  std::vector<ProcBind> policies; ///< bind-var by level of nesting, the last one for all deeper ones; never empty
};
const ProgramPlaces& program_places();

/// Reads OMP_PLACES, OMP_PROC_BIND and GOMP_CPU_AFFINITY for a process that may use `available`; each malformed one is complained
/// about in one line and ignored. With several nodes nothing is bound to places: threads stay on their nodes' CPUs.
void read_places(const std::vector<int>& available, bool several_nodes);

/// bind-var of a task.
ProcBind policy_of(const runtime::ImplicitTask& task);

/// Whether threads of the program's teams are bound at all.
bool binds();

/// Binds an initial thread to the first place, once, if threads are bound.
void seat_initial_thread(runtime::Thread& self);

/// Seats for the threads of a team on this node that `primary` is about to start; `clause` is the construct's proc_bind clause, or
/// negative. Without binding the team has no seats.
void prepare_seats(runtime::Thread& primary, runtime::NodeTeam& team, int clause);

/// The calling thread enters the team as thread `local_number`: moves it to its place if it is elsewhere.
void take_seat(runtime::Thread& self, runtime::NodeTeam& team, uint32_t local_number);

} // namespace hetmp::affinity
