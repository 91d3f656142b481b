// How loops with a static schedule are divided, in the types that compilers pass: the bounds of a loop come in, those
// of a share go out.
#pragma once

#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_schedule.hpp"
#include "runtime/global/loop_identity.hpp"
#include "runtime/loops/cancelling.hpp"
#include "runtime/loops/loop.hpp"
#include "runtime/regions/league.hpp"
#include "runtime/team/implicit_task.hpp"
#include "schedulers/arithmetic/loop.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace hetmp::runtime {

/// Who divides a loop: the threads of a team, or the teams of a league.
struct Sharers {
  uint32_t count;
  uint32_t number; ///< whose share it is
};

inline Sharers threads_of_team(const ImplicitTask& task) { return {task.team_size, task.number}; }

inline Sharers teams_of_league(const ImplicitTask& task) {
  const LeaguePlace place = league_place(task);
  return {place.teams, place.number};
}

template <class T> struct StaticLoop {
  using Signed = std::make_signed_t<T>;
  using Unsigned = std::make_unsigned_t<T>;
  int32_t* last;
  T* lower;
  T* upper;
  Signed* stride;
  Signed increment;
  Signed chunk;

  T value(T first, uint64_t index) const { return schedulers::iteration_value<T>(first, increment, index); }

  void set_last(bool is_last) const {
    if (last)
      *last = is_last;
  }

  /// What *stride must be so that lower + *stride is a thread's next chunk; meaningless when there is only one.
  void set_stride(uint64_t iterations) const { *stride = Signed(Unsigned(uint64_t(increment) * iterations)); }

  /// No iterations for this thread: bounds the compiler's loop does not enter, at any limit of the type.
  void set_empty() const {
    set_last(false);
    *upper = std::numeric_limits<T>::min();
    *lower = std::numeric_limits<T>::max();
    if (increment < 0)
      std::swap(*lower, *upper);
  }

  void set_range(uint64_t begin, uint64_t end, uint64_t trips) const {
    const T first = *lower;
    *lower = value(first, begin);
    *upper = value(first, end - 1);
    set_last(end == trips);
  }

  /// Round-robin chunks: the first one's bounds. The upper bound may lie beyond the loop's: the compiler caps it.
  void divide_chunked(Sharers sharers, uint64_t trips) const {
    const uint64_t size = uint64_t(std::max<Signed>(chunk, 1));
    set_stride(size * sharers.count);
    const uint64_t last_chunk = (trips - 1) / size;
    const schedulers::Range first = schedulers::static_chunk(trips, size, sharers.count, sharers.number, 0);
    if (first.empty())
      return set_empty();
    set_range(first.begin, first.end, trips);
    set_last(last_chunk % sharers.count == sharers.number);
  }

  void divide_contiguous(schedulers::Range share, uint64_t trips) const {
    set_stride(trips);
    share.empty() ? set_empty() : set_range(share.begin, share.end, trips);
  }

  /// Equal shares rounded up to a multiple of the chunk (a SIMD length).
  void divide_balanced(Sharers sharers, uint64_t trips) const {
    set_stride(trips);
    const uint64_t unit = uint64_t(std::max<Signed>(chunk, 1));
    const uint64_t equal = trips / sharers.count + (trips % sharers.count != 0 ? 1 : 0);
    const uint64_t share = std::min((equal + unit - 1) / unit * unit, trips);
    uint64_t begin = 0;
    if (__builtin_mul_overflow(share, uint64_t(sharers.number), &begin) || begin >= trips)
      return set_empty();
    set_range(begin, begin + std::min(share, trips - begin), trips);
  }

  /// Loops that are nobody's to place.
  void divide_alone(Sharers sharers, uint64_t trips, StaticKind kind) const {
    if (kind == StaticKind::Chunked)
      divide_chunked(sharers, trips);
    else if (kind == StaticKind::BalancedChunked)
      divide_balanced(sharers, trips);
    else
      divide_contiguous(schedulers::static_share(trips, sharers.count, sharers.number), trips);
  }

  uint64_t trips() const { return schedulers::trip_count<T>(*lower, *upper, increment); }

  /// No iterations for anybody: the bounds stay as they are.
  void leave_empty() const {
    set_last(false);
    *stride = increment;
  }
};

/// The share of the thread that `gtid` names.
template <class T>
void divide_static_loop(const StaticLoop<T>& loop, int gtid, int32_t schedule, const SourceLocation* location,
                        const void* call_site) {
  const uint64_t trips = loop.trips();
  if (trips == 0)
    return loop.leave_empty();
  ImplicitTask& task = task_of(gtid);
  const StaticKind kind = decode_static_schedule(schedule);
  begin_static_worksharing(task);
  if (kind == StaticKind::Distributed || kind == StaticKind::DistributedChunked) {
    loop.divide_alone(teams_of_league(task), trips,
                      kind == StaticKind::Distributed ? StaticKind::Contiguous : StaticKind::Chunked);
  } else if (task.team_size == 1) {
    loop.set_last(true);
    loop.set_stride(trips);
  } else if (kind == StaticKind::Contiguous && !is_sections(location)) {
    loop.divide_contiguous(begin_static_loop(task, trips, {source_text(location), call_site}), trips);
  } else {
    note_first_loop(task, trips);
    note_unplaced_loop(*task.team, call_site);
    loop.divide_alone(threads_of_team(task), trips, kind);
  }
}

} // namespace hetmp::runtime
