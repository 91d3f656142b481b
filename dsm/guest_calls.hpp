// Calls of the runtime that a thread makes while it is executed on another node, and that what has stayed of it at
// home, its deputy, makes for it: what passes between the two. The thread itself stays where it is
// (dsm/migration/calls_abroad.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

namespace hetmp::dsm {

enum class GuestFunction : uint32_t {
  Barrier,
  Team,         ///< -> thread number, team size
  StaticLoop4,  ///< of clang's code: schedule, lower, upper, increment, chunk -> last, lower, upper, stride
  StaticLoop4u, ///< likewise, and so on
  StaticLoop8,
  StaticLoop8u,
  LoopEnds,      ///< a static loop, whose beginning the runtime has seen
  Single,        ///< -> whether it is the thread's
  Reduction,     ///< of clang's code: variables, data, combine, lock, waits -> what the thread is to do
  ReductionEnds, ///< that waits
  ChildTasks,    ///< to wait for those of the task that the thread executes; made if there are none
  ReductionCopy, ///< of clang's tasks: taskgroup or null, variable -> the thread's copy; made if there is one
  MappedCopy     ///< of gcc's tasks: null, variable or a copy of it -> the thread's copy, the variable
};
inline constexpr GuestFunction last_guest_function = GuestFunction::MappedCopy;

struct GuestCall {
  GuestFunction function = GuestFunction::Barrier;
  uint32_t loop_ended = 0; ///< 1: before, a LoopEnds that nobody waited for
  uint64_t site = 0;       ///< the address that the call returns to
  uint64_t location = 0;   ///< what clang's code says of the place; else 0
  uint64_t arguments[5] = {};
};

struct GuestAnswer {
  uint64_t made = 0;    ///< 0: this call has to be made at home, by the thread itself
  uint64_t took_ns = 0; ///< to make it, as long as it would have taken the thread itself
  uint64_t cost_ns = 0; ///< its part of what moving pages has cost those at home since it left
  uint64_t results[4] = {};
};

static_assert(std::has_unique_object_representations_v<GuestCall> && // they travel
              std::has_unique_object_representations_v<GuestAnswer>);

/// Makes the call for `thread`, which is known by the pointer of Journey::presence. On a signal stack, with that
/// pointer null and the thread's own variables elsewhere: it executes nothing of the program's. False: it has not.
using MakeGuestCall = bool (*)(void* thread, const GuestCall& call, GuestAnswer& answer);

} // namespace hetmp::dsm
