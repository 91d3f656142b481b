// The schedule numbers compilers pass, decoded.
#pragma once

#include "schedulers/arithmetic/schedule.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct DecodedSchedule {
  schedulers::Schedule schedule;
  bool ordered = false;
  uint64_t vector = 1; ///< iterations; above 1, chunks have to be multiples of it: see in_whole_vectors()
};

/// `chunk` below 1 = none given; for schedule(simd:runtime) it is the vector's length. `run_schedule` answers
/// schedule(runtime).
DecodedSchedule decode_schedule(int32_t number, int64_t chunk, const schedulers::Schedule& run_schedule);

/// `schedule` so changed that every chunk but the loop's last one is a multiple of `vector` iterations
/// (HetProbe, whose shares come from measurements, stays as it is). Chunk sizes in `schedule` count vectors.
schedulers::Schedule in_whole_vectors(schedulers::Schedule schedule, uint64_t vector, uint64_t trips, uint32_t threads);

/// Kinds of __kmpc_for_static_init: what is left once modifiers and variants are taken off.
enum class StaticKind : uint8_t { Contiguous, Chunked, BalancedChunked, Distributed, DistributedChunked };
StaticKind decode_static_schedule(int32_t number);

} // namespace hetmp::runtime
