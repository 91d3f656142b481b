// Regions at home whose members may go on elsewhere for a while (dsm/migration): the edge between regions, what is
// known of them (schedulers/placement/travel_ledger), and the DSM.
#pragma once

#include "dsm/fabric.hpp"
#include "schedulers/placement/travel_ledger.hpp"

#include <map>
#include <string>

namespace hetmp::runtime {
struct ImplicitTask;
struct NodeTeam;
struct RegionPlan;
struct Thread;
} // namespace hetmp::runtime

namespace hetmp::runtime::travelling {

/// Before there are teams.
void attach(const dsm::Fabric& fabric);

/// Whether members of a region of this thread could travel, and whether they may: goes into the plan. If they could, it
/// is the main thread's region in hand from now on, of which region_is_over() is to be told.
void begin_region(const Thread& self, const void* microtask, RegionPlan& plan);
/// Whether that region's members are to depart as soon as they can.
bool departs_at_once();
/// At a time of placing::now_us(); `exchanges`: see schedulers::VisitSeen.
schedulers::TravelLedger::Effect region_is_over(const void* microtask, uint32_t exchanges, double over_us);

/// As execute(), of a worker that is a member of such a region.
void execute(Thread& self, NodeTeam& team);

/// On such a worker's stack, where it executes tasks of the region behind execute(): another journey.
class TasksJourney {
 public:
  explicit TasksJourney(ImplicitTask& member);
  ~TasksJourney();
  TasksJourney(const TasksJourney&) = delete;
  TasksJourney& operator=(const TasksJourney&) = delete;

 private:
  ImplicitTask& member_;
  alignas(dsm::context_alignment) char room_[dsm::context_room];
};

/// The dsm::MakeGuestCall of journeys. What it does belongs to what compilers call, which has it
/// (runtime/abi/kmpc/kmpc_for_guests.cpp); travelling only hands it on.
bool make_guest_call(void* thread, const dsm::GuestCall& call, dsm::GuestAnswer& answer);

/// What earlier runs have taught of journeys, by microtasks. Before there are teams.
void recall(schedulers::JourneyLessons lessons);
/// What this run teaches. By any thread, at any time.
schedulers::JourneyLessons lessons();

/// How much of the budget of experiments journeys have taken so far, and may take yet; us.
double budget_taken_us();

/// Why no thread of this program goes on elsewhere; empty: they may.
std::string why_nobody_travels();

/// A copy of what is known, by their microtasks, for a report.
std::map<uint64_t, schedulers::TravelLedger::Region> regions();

} // namespace hetmp::runtime::travelling
