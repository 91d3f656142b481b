// Calls of the runtime by a thread that is executed on another node. What works with the runtime's own data has to be
// done at home; but the thread need not go there. Its deputy is there, which is the thread to everybody at home, and
// does nothing else meanwhile. So the gates before functions that a team calls often, barriers and the divisions of
// static loops above all, lead to stand-ins: the carrier asks the deputy to make the call, sleeps until the answer
// comes, and the guest goes on. Two messages take the place of two ways of the thread with the pages of its stack.
//
// A deputy makes a call without the thread's own variables, and executes nothing of the program's. A call that cannot
// be made so, as a barrier in front of which tasks wait, the guest makes itself, at home.
//
// Who is called home while it waits for an answer goes there in the midst of the stand-in, and finds the answer with
// its deputy, which has made the call by then: so nobody who waits for all to be at home waits for a barrier of theirs.
#pragma once

#include "dsm/guest_calls.hpp"

#include <cstdint>
#include <string_view>

namespace hetmp::dsm {

class CallsAbroad {
 public:
  enum Function : uint32_t {
    KmpcBarrier,
    GompBarrier,
    StaticInit4,
    StaticInit4u,
    StaticInit8,
    StaticInit8u,
    StaticFini,
    KmpcSingle,
    GompSingle,
    KmpcMaster,
    KmpcMasked,
    Reduce,
    ReduceNowait,
    EndReduce,
    ThreadNumber,
    TeamSize,
    FortranThreadNumber,
    FortranTeamSize,
    GompTaskwait,
    KmpcTaskwait,
    KmpcReductionData,
    GompReductionRemap,
    functions
  };

  // Before there are other processes:

  /// To be called before a function that has a stand-in, to be at home.
  void set_way_home(void (*come_home)()) { come_home_ = come_home; }
  /// Which stand-in the runtime's function of this name has; 0: none. Kept for the stand-in: the function itself.
  uintptr_t stand_in(std::string_view name, uintptr_t function);
  /// Whether the runtime's function of this name does nothing that is its process's own: it needs no gate.
  static bool is_made_anywhere(std::string_view name);

 private:
  struct StandIns;

  void (*come_home_)() = nullptr;
  uintptr_t originals_[functions] = {};
};

} // namespace hetmp::dsm
