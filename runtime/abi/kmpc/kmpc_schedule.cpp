#include "runtime/abi/kmpc/kmp_schedule.hpp"

#include <algorithm>
#include <limits>

namespace hetmp::runtime {

using schedulers::Schedule;
using schedulers::ScheduleKind;

namespace {

constexpr int32_t monotonic = 1 << 29;
constexpr int32_t nonmonotonic = 1 << 30;

/// Chunks that must not be merged, and ordered loops, are the plain kinds at an offset.
constexpr int32_t nomerge_first = 160;
constexpr int32_t nomerge_offset = 128;
constexpr int32_t ordered_first = 64;
constexpr int32_t ordered_last = 72;
constexpr int32_t ordered_offset = 32;

enum Kind : int32_t {
  static_chunked = 33,
  static_contiguous = 34,
  dynamic_chunked = 35,
  guided_chunked = 36,
  runtime_kind = 37,
  auto_kind = 38,
  trapezoidal = 39,
  static_greedy = 40,
  static_balanced = 41,
  guided_iterative = 42,
  guided_analytical = 43,
  static_steal = 44,
  static_balanced_chunked = 45,
  guided_simd = 46,
  runtime_simd = 47,
  distribute_chunked = 91,
  distribute_contiguous = 92,
};

int32_t plain_kind(int32_t number, bool& ordered) {
  int32_t kind = number & ~(monotonic | nonmonotonic);
  if (kind > nomerge_first)
    kind -= nomerge_offset;
  ordered = kind > ordered_first && kind <= ordered_last;
  return ordered ? kind - ordered_offset : kind;
}

/// Saturates: a chunk beyond the loop's end is as good as one that reaches it.
uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<uint64_t>::max() : result;
}

uint64_t quotient_rounded_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

} // namespace

DecodedSchedule decode_schedule(int32_t number, int64_t chunk, const Schedule& run_schedule) {
  DecodedSchedule decoded;
  Schedule& schedule = decoded.schedule;
  schedule.chunk = chunk > 0 ? uint64_t(chunk) : 0;
  switch (plain_kind(number, decoded.ordered)) {
  case static_contiguous:
  case static_greedy:
  case static_balanced:
    schedule.kind = ScheduleKind::Static;
    schedule.chunk = 0;
    break;
  case static_chunked:
  case static_balanced_chunked:
    schedule.kind = ScheduleKind::Static;
    break;
  case guided_chunked:
  case guided_iterative:
  case guided_analytical:
  case guided_simd:
  case trapezoidal:
    schedule.kind = ScheduleKind::Guided;
    break;
  case auto_kind:
    schedule.kind = ScheduleKind::Auto;
    break;
  case runtime_simd:
    decoded.vector = std::max<uint64_t>(schedule.chunk, 1);
    [[fallthrough]];
  case runtime_kind:
    schedule = run_schedule;
    break;
  case static_steal:
    schedule.kind = ScheduleKind::Dynamic;
    break;
  case dynamic_chunked:
  default:
    schedule.kind = ScheduleKind::Dynamic;
    // Compilers of OpenMP 4.5 and before say neither, and their programs may rely on the order of chunks.
    schedule.monotonic = (number & nonmonotonic) == 0;
    break;
  }
  if (number & monotonic)
    schedule.monotonic = true;
  return decoded;
}

Schedule in_whole_vectors(Schedule schedule, uint64_t vector, uint64_t trips, uint32_t threads) {
  if (schedulers::is_placed(schedule.kind))
    return schedule;
  if (schedule.kind == ScheduleKind::Static || schedule.kind == ScheduleKind::Auto) {
    schedule.kind = ScheduleKind::Static;
    if (schedule.chunk == 0) // a share each
      schedule.chunk = quotient_rounded_up(quotient_rounded_up(trips, threads), vector);
  } else { // guided, too: its shrinking chunks would not be multiples
    schedule.kind = ScheduleKind::Dynamic;
    schedule.chunk = std::max<uint64_t>(schedule.chunk, 1);
  }
  schedule.chunk = product(schedule.chunk, vector);
  return schedule;
}

StaticKind decode_static_schedule(int32_t number) {
  bool ordered;
  switch (plain_kind(number, ordered)) {
  case static_chunked:
    return StaticKind::Chunked;
  case static_balanced_chunked:
    return StaticKind::BalancedChunked;
  case distribute_chunked:
    return StaticKind::DistributedChunked;
  case distribute_contiguous:
    return StaticKind::Distributed;
  default:
    return StaticKind::Contiguous;
  }
}

} // namespace hetmp::runtime
