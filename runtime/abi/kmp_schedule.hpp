// The schedule numbers compilers pass, decoded.
#pragma once

#include "schedulers/schedule.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct DecodedSchedule {
  schedulers::Schedule schedule;
  bool ordered = false;
};

/// `chunk` below 1 = none given. `run_schedule` answers schedule(runtime).
DecodedSchedule decode_schedule(int32_t number, int64_t chunk, const schedulers::Schedule& run_schedule);

/// Kinds of __kmpc_for_static_init: what is left once modifiers and variants are taken off.
enum class StaticKind : uint8_t { Contiguous, Chunked, BalancedChunked, WholeRange };
StaticKind decode_static_schedule(int32_t number);

} // namespace hetmp::runtime
