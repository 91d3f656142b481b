// Loops that are divided among the teams of a league, and what each team gets among its threads.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_static_loop.hpp"
#include "runtime/loops/cancelling.hpp"

#define HETMP_DECLARE_DISPATCH(suffix, type, signed_type)                                                              \
  HETMP_ENTRY void __kmpc_dispatch_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,       \
                                                 type lower, type upper, signed_type increment, signed_type chunk);
HETMP_DECLARE_DISPATCH(4, int32_t, int32_t)
HETMP_DECLARE_DISPATCH(4u, uint32_t, int32_t)
HETMP_DECLARE_DISPATCH(8, int64_t, int64_t)
HETMP_DECLARE_DISPATCH(8u, uint64_t, int64_t)

namespace hetmp::runtime {
namespace {

/// The bounds become those of the team's contiguous share, which is returned; *last says whether it has the last
/// iteration.
template <class T> schedulers::Range take_share_of_team(const StaticLoop<T>& loop, const ImplicitTask& task) {
  const uint64_t trips = loop.trips();
  const Sharers teams = teams_of_league(task);
  const schedulers::Range share = schedulers::static_share(trips, teams.count, teams.number);
  loop.divide_contiguous(share, trips);
  return share;
}

/// Among the teams, and among the threads of the team.
template <class T> void divide_twice(const StaticLoop<T>& loop, T* upper_of_team, int gtid, int32_t schedule) {
  const uint64_t trips = loop.trips();
  if (trips == 0) {
    *upper_of_team = *loop.upper;
    return loop.leave_empty();
  }
  ImplicitTask& task = task_of(gtid);
  begin_static_worksharing(task);
  const schedulers::Range share = take_share_of_team(loop, task);
  *upper_of_team = *loop.upper;
  if (share.empty())
    return;
  loop.divide_alone(threads_of_team(task), share.size(), decode_static_schedule(schedule));
  if (share.end != trips)
    loop.set_last(false);
}

/// Chunks for the teams in turn.
template <class T> void divide_among_teams(const StaticLoop<T>& loop, int gtid) {
  const uint64_t trips = loop.trips();
  if (trips == 0)
    return loop.leave_empty();
  loop.divide_chunked(teams_of_league(task_of(gtid)), trips);
}

} // namespace
} // namespace hetmp::runtime

#define HETMP_DISTRIBUTE(suffix, type, signed_type)                                                                    \
  HETMP_ENTRY void __kmpc_dist_for_static_init_##suffix(                                                               \
      const SourceLocation*, int32_t gtid, int32_t schedule, int32_t* last, type* lower, type* upper,                  \
      type* upper_of_team, signed_type* stride, signed_type increment, signed_type chunk) {                            \
    hetmp::runtime::divide_twice<type>({last, lower, upper, stride, increment, chunk}, upper_of_team, gtid, schedule); \
  }                                                                                                                    \
  HETMP_ENTRY void __kmpc_team_static_init_##suffix(const SourceLocation*, int32_t gtid, int32_t* last, type* lower,   \
                                                    type* upper, signed_type* stride, signed_type increment,           \
                                                    signed_type chunk) {                                               \
    hetmp::runtime::divide_among_teams<type>({last, lower, upper, stride, increment, chunk}, gtid);                    \
  }                                                                                                                    \
  HETMP_ENTRY void __kmpc_dist_dispatch_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,  \
                                                      int32_t* last, type lower, type upper, signed_type increment,    \
                                                      signed_type chunk) {                                             \
    signed_type stride;                                                                                                \
    hetmp::runtime::take_share_of_team<type>({last, &lower, &upper, &stride, increment, chunk},                        \
                                             hetmp::runtime::task_of(gtid));                                           \
    __kmpc_dispatch_init_##suffix(location, gtid, schedule, lower, upper, increment, chunk);                           \
  }
HETMP_DISTRIBUTE(4, int32_t, int32_t)
HETMP_DISTRIBUTE(4u, uint32_t, int32_t)
HETMP_DISTRIBUTE(8, int64_t, int64_t)
HETMP_DISTRIBUTE(8u, uint64_t, int64_t)
