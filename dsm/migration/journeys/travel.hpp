// Thread migration: a thread of the origin goes on, for a while, on another node.
//
// The words are MOSIX's in spirit: the *deputy* is what stays of the thread at home, asleep in a signal handler; the
// *carrier* is a thread of another node that executes its context there, with its stack and its thread-local variables,
// which lie in memory that nodes share. To everybody else the thread is where it always was, and just takes its time.
// A *stay* is the time from a departure to the homecoming; a *journey* is the piece of program in which a thread may
// depart: a member's part of a parallel region.
//
// The thread comes home by itself before anything that is a process's own (gates.hpp), when a trap or a fault of its
// own stops it, when it gets on too slowly there, and when it is called. What its team does often, barriers above all,
// the deputy does for it (calls_abroad.hpp).
#pragma once

#include "base/page.hpp"
#include "dsm/fabric.hpp"
#include "dsm/guest_calls.hpp"

#include <algorithm>
#include <cstdint>

namespace hetmp::dsm {

/// Why a stay ended.
enum class Homecoming : uint64_t {
  Gate,          ///< it was to call what is each process's own
  Stopped,       ///< an instruction of its own met an error
  Loses,         ///< it waited for pages longer than it was allowed
  Called,        ///< those at home waited for its pages, or its time was up
  Refused,       ///< no carrier was free
  Invited,       ///< a CPU at home was free, and it had too little of one where it was
  ChangedPlaces, ///< with one that had a slow CPU at home (change_of_places.hpp)
};
inline constexpr Homecoming last_homecoming = Homecoming::ChangedPlaces;

/// What a thread that is away is told of home.
enum class Invitation : uint64_t {
  FreeCpu,     ///< one is free there, if that is better for it; or for others, with tasks that it generates
  ChangePlaces ///< its CPU is another one's now
};
inline constexpr Invitation last_invitation = Invitation::ChangePlaces;

/// Of what a node has received so far, the pages that those they came from will want back, probably. Pages that were
/// only copied are still there as well, and cost no more than the right to write them again, if somebody does: so they
/// count little.
inline uint64_t pages_to_give_back(const FaultCounters& node) {
  constexpr uint64_t copies_that_cost_a_page = 8;
  return node.pages_taken + node.bytes_received / page_bytes / copies_that_cost_a_page;
}

/// What waits cost the team: the guest's where it is, and those for pages at home meanwhile. Both sides get on at the
/// same time, so what is over last is late by its own waits. What pages may cost that stay elsewhere comes on top.
inline int64_t lost_by_waiting(int64_t abroad_ns, int64_t home_ns) { return std::max(abroad_ns, home_ns); }

/// To a carrier's node. All addresses lie in the origin's stacks.
struct DepartureMessage {
  uint16_t deputy;         ///< its number
  uint8_t in_task;         ///< 1: it executes one, an explicit one (tasks_abroad.hpp)
  uint8_t has_cpu;         ///< 1: no other node uses those of its carrier's
  uint32_t page_ns;        ///< loss by a page that is brought to where it is, besides the wait
  uint64_t context;        ///< where the context lies, and where it is to lie when the thread comes home: context_room
  uint64_t thread_pointer; ///< of the thread
  uint64_t guard;          ///< the page below its stack, which is protected nowhere but at the origin
  int32_t allowance_us;    ///< it may lose, before it is to come home
  uint32_t phase;          ///< of the program: stays of the same one will probably want the same pages
};

/// To the origin.
struct HomecomingMessage {
  uint64_t deputy;
  int64_t abroad_ns;      ///< but for what other programs have had of its CPU there
  int64_t computed_ns;    ///< of those
  uint64_t why_and_pages; ///< Homecoming, loop_ended, and from bit 8 on by how much pages_to_give_back() has grown
  uint64_t fetched;       ///< pages whose contents its node has received meanwhile

  static constexpr uint64_t loop_ended = 0x80; ///< a GuestFunction::LoopEnds is yet to be made
  Homecoming why() const { return Homecoming(why_and_pages & 0x7f); }
  bool has_ended_loop() const { return (why_and_pages & loop_ended) != 0; }
  uint64_t pages() const { return why_and_pages >> 8; }
};

/// What carries them; safe in signal handlers that have interrupted the program's own code.
class TravelMessages {
 public:
  virtual ~TravelMessages() = default;
  virtual void send_departure(uint32_t to, const DepartureMessage& departure) = 0;
  virtual void send_homecoming(const HomecomingMessage& homecoming) = 0;
  virtual void call_home(uint32_t node, uint64_t deputy) = 0;
  virtual void invite_home(uint32_t node, uint64_t deputy, Invitation invitation) = 0;
  /// From a carrier's thread, as itself.
  virtual void send_guest_call(uint64_t deputy, const GuestCall& call) = 0;
  /// `phase`: see DepartureMessage; 0: the same as before.
  virtual void send_guest_answer(uint32_t node, uint64_t deputy, uint32_t phase, const GuestAnswer& answer) = 0;
};

/// The signal that lets a thread look whether it should leave; of those that programs have to themselves, one that few
/// use. If the program sets an action for it, no thread departs any more.
int travel_signal();

} // namespace hetmp::dsm
