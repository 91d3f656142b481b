// Loop arithmetic: how many iterations a loop has, the loop variable of each, and the shares of OpenMP's
// schedules. Iterations are counted from 0 in execution order, whatever the direction of the loop.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hetmp::schedulers {

/// Iterations of `for (i = lower; i <= upper_inclusive; i += stride)` (>= with a negative stride), as if i
/// never overflowed. `stride` must not be 0. A loop over all 2^64 values with stride +-1 has one iteration
/// more than fits: its count saturates at 2^64 - 1.
template <class T> constexpr uint64_t trip_count(T lower, T upper_inclusive, std::make_signed_t<T> stride) {
  using Unsigned = std::make_unsigned_t<T>;
  const bool upwards = stride > 0;
  if (upwards ? lower > upper_inclusive : lower < upper_inclusive)
    return 0;
  const T first = upwards ? lower : upper_inclusive;
  const T last = upwards ? upper_inclusive : lower;
  // Modulo 2^bits, and exact: the distance of two values of T always fits its unsigned type, and so does
  // |stride|.
  const uint64_t distance = static_cast<Unsigned>(uint64_t(last) - uint64_t(first));
  const uint64_t step = static_cast<Unsigned>(upwards ? uint64_t(stride) : 0 - uint64_t(stride));
  const uint64_t steps = distance / step;
  return steps == std::numeric_limits<uint64_t>::max() ? steps : steps + 1;
}

/// The loop variable of iteration `index`, for any index below the trip count.
template <class T> constexpr T iteration_value(T lower, std::make_signed_t<T> stride, uint64_t index) {
  return static_cast<T>(uint64_t(lower) + uint64_t(stride) * index); // modulo 2^64, then modulo 2^bits of T
}

/// Worker `worker`'s contiguous share of a loop without chunk: sizes differ by at most one, larger ones
/// first.
constexpr Range static_share(uint64_t trips, uint32_t workers, uint32_t worker) {
  if (worker >= workers)
    return {trips, trips};
  const uint64_t share = trips / workers;
  const uint64_t larger = trips % workers;
  const uint64_t begin = share * worker + std::min<uint64_t>(worker, larger);
  return {begin, begin + share + (worker < larger ? 1 : 0)};
}

/// The `round`-th chunk of worker `worker` when chunks are dealt round robin; empty from the first round that
/// has none for it. A chunk of 0 counts as 1.
constexpr Range static_chunk(uint64_t trips, uint64_t chunk, uint32_t workers, uint32_t worker, uint64_t round) {
  const uint64_t size = std::max<uint64_t>(chunk, 1);
  uint64_t number = 0;
  uint64_t begin = 0;
  if (worker >= workers || __builtin_mul_overflow(round, workers, &number) ||
      __builtin_add_overflow(number, worker, &number) || __builtin_mul_overflow(number, size, &begin) || begin >= trips)
    return {trips, trips};
  return {begin, begin + std::min(size, trips - begin)};
}

/// Size of the next guided chunk: half an equal share of what remains, at least `chunk`, at most `remaining`.
constexpr uint64_t guided_chunk(uint64_t remaining, uint64_t chunk, uint32_t workers) {
  const uint64_t parts = 2 * std::max<uint64_t>(workers, 1);
  const uint64_t proportional = remaining / parts + (remaining % parts != 0 ? 1 : 0);
  return std::min(remaining, std::max({proportional, chunk, uint64_t(1)}));
}

/// The same of a batch, which is not the end of the loop: none of its chunks may be smaller than `chunk` if it is not
/// so itself. So what is left is divided equally once it is too little for anything else.
constexpr uint64_t guided_chunk_of_batch(uint64_t remaining, uint64_t chunk, uint32_t workers) {
  const uint64_t least = std::max<uint64_t>(chunk, 1);
  const uint64_t size = guided_chunk(remaining, least, workers);
  if (size > least || remaining < least)
    return size; // at most half of it, if it is proportional: more than the least is left
  const uint64_t chunks = remaining / least;
  return remaining / chunks + (remaining % chunks != 0 ? 1 : 0);
}

} // namespace hetmp::schedulers
