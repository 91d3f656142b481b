// Loops with a static schedule: the compiler asks for its thread's share once and runs it by itself.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmp_schedule.hpp"
#include "runtime/core/loop.hpp"
#include "schedulers/loop.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

template <class T>
struct StaticLoop {
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
  void set_stride(uint64_t iterations) const {
    *stride = Signed(Unsigned(uint64_t(increment) * iterations));
  }

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
  void divide_chunked(const ImplicitTask& task, uint64_t trips) const {
    const uint64_t size = uint64_t(std::max<Signed>(chunk, 1));
    set_stride(size * task.team_size);
    const uint64_t last_chunk = (trips - 1) / size;
    const schedulers::Range first = schedulers::static_chunk(trips, size, task.team_size, task.number, 0);
    if (first.empty())
      return set_empty();
    set_range(first.begin, first.end, trips);
    set_last(last_chunk % task.team_size == task.number);
  }

  void divide_contiguous(schedulers::Range share, uint64_t trips) const {
    set_stride(trips);
    share.empty() ? set_empty() : set_range(share.begin, share.end, trips);
  }

  /// Equal shares rounded up to a multiple of the chunk (a SIMD length).
  void divide_balanced(const ImplicitTask& task, uint64_t trips) const {
    set_stride(trips);
    const uint64_t unit = uint64_t(std::max<Signed>(chunk, 1));
    const uint64_t equal = trips / task.team_size + (trips % task.team_size != 0 ? 1 : 0);
    const uint64_t share = std::min((equal + unit - 1) / unit * unit, trips);
    uint64_t begin = 0;
    if (__builtin_mul_overflow(share, uint64_t(task.number), &begin) || begin >= trips)
      return set_empty();
    set_range(begin, begin + std::min(share, trips - begin), trips);
  }

  /// Loops that are nobody's to place.
  void divide_alone(const ImplicitTask& task, uint64_t trips, StaticKind kind) const {
    if (kind == StaticKind::Chunked)
      divide_chunked(task, trips);
    else if (kind == StaticKind::BalancedChunked)
      divide_balanced(task, trips);
    else
      divide_contiguous(schedulers::static_share(trips, task.team_size, task.number), trips);
  }

  void divide(int gtid, int32_t schedule, const SourceLocation* location, const void* call_site) const {
    const uint64_t trips = schedulers::trip_count<T>(*lower, *upper, increment);
    if (trips == 0) { // the bounds stay as they are: an empty loop for everybody
      set_last(false);
      *stride = increment;
      return;
    }
    ImplicitTask& task = task_of(gtid);
    const StaticKind kind = decode_static_schedule(schedule);
    if (task.team_size == 1 || kind == StaticKind::WholeRange) {
      set_last(true);
      set_stride(trips);
    } else if (kind == StaticKind::Contiguous && !is_sections(location)) {
      divide_contiguous(begin_static_loop(task, trips, {source_text(location), call_site}), trips);
    } else {
      note_unplaced_loop(*task.team, call_site);
      divide_alone(task, trips, kind);
    }
  }
};

} // namespace
} // namespace hetmp::runtime

#define HETMP_STATIC_INIT(suffix, type, signed_type)                                                                \
  HETMP_ENTRY void __kmpc_for_static_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,  \
                                                   int32_t* last, type* lower, type* upper, signed_type* stride,    \
                                                   signed_type increment, signed_type chunk) {                      \
    hetmp::runtime::StaticLoop<type>{last, lower, upper, stride, increment, chunk}.divide(                          \
        gtid, schedule, location, __builtin_return_address(0));                                                     \
  }

HETMP_STATIC_INIT(4, int32_t, int32_t)
HETMP_STATIC_INIT(4u, uint32_t, int32_t)
HETMP_STATIC_INIT(8, int64_t, int64_t)
HETMP_STATIC_INIT(8u, uint64_t, int64_t)

HETMP_ENTRY void __kmpc_for_static_fini(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::end_static_loop(hetmp::runtime::task_of(gtid));
}
