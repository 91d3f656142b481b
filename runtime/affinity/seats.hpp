// Which thread of a team goes to which place (OpenMP 5.1, section 2.6.2). Pure arithmetic.
#pragma once

#include <cstdint>
#include <vector>

namespace hetmp::affinity {

/// Values of omp_proc_bind_t.
enum class ProcBind : uint8_t { False = 0, True = 1, Primary = 2, Close = 3, Spread = 4 };

/// place-partition-var: `count` places, one behind the other, from `first` on. Trivially copyable.
struct Partition {
  uint32_t first = 0;
  uint32_t count = 0;
  bool contains(uint32_t place) const { return place - first < count; }
  bool operator==(const Partition&) const = default;
};

/// A thread's place, and the partition that its implicit task has.
struct Seat {
  uint32_t place = 0;
  Partition partition;
  bool operator==(const Seat&) const = default;
};

/// What a team's seats depend on.
struct SeatPlan {
  ProcBind policy = ProcBind::False;
  uint32_t threads = 0;
  Partition partition;
  uint32_t primary_place = 0;
  bool operator==(const SeatPlan&) const = default;
};

/// Of a team whose threads were displayed.
struct DisplayedTeam {
  uint32_t level = 0; ///< 0: there was none
  uint32_t threads = 0;
  SeatPlan plan;
  bool operator==(const DisplayedTeam&) const = default;
};

/// The seat of thread `thread` of `threads`, where the primary thread sits at `primary_place` and its partition, which
/// holds that place, is `partition`.
///
/// close: threads on the primary's place and the ones behind it, round the partition; with more threads than places,
/// threads with consecutive numbers share one, numbers of sharers differing by one at most. true, for which the choice
/// is ours: as close, but round and round, as GOMP_CPU_AFFINITY has it. spread: the partition is divided into as many
/// subpartitions as there are threads, lengths differing by one at most; the primary keeps its place, the others sit at
/// the first of theirs. With more threads than places, as close, each alone with its place. primary: all at the
/// primary's place.
Seat seat_of(ProcBind bind, uint32_t thread, uint32_t threads, Partition partition, uint32_t primary_place);

} // namespace hetmp::affinity
