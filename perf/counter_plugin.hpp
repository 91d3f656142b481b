// The contract between the runtime (perf/counters.cpp) and libhetmp_papi.so, which it loads when it wants to
// count. One function is exported, hetmp_counter_plugin(). No memory changes hands and nothing is thrown
// across.
#pragma once

#include "perf/counters.hpp"

#include <cstddef>
#include <cstdint>

namespace hetmp::perf {

inline constexpr uint32_t counter_plugin_version = 1; ///< another version's plugin is not used
inline constexpr const char* counter_plugin_file = "libhetmp_papi.so";

struct CounterChoice {
  bool counts = false;    ///< the plugin counts something from now on
  char events[256] = {};  ///< then: the events' names, and what is missing, as a clause
  char problem[256] = {}; ///< else: why not, as a clause
};

/// Any thread may call any of these, one thread at a time `choose`, and before the others.
struct CounterPlugin {
  uint32_t version;
  /// Chooses the events to count, by names of PAPI; null = the default. Tries them on the calling thread.
  void (*choose)(const char* misses, const char* instructions, CounterChoice* choice);
  /// Counts on the calling thread until stop(), by the same thread; null if that is refused.
  void* (*start)();
  /// Totals since start(), for the calling thread's own handle. False, and nothing written, if they cannot be
  /// had.
  bool (*read)(void* thread, CounterReading* reading);
  void (*stop)(void* thread);
};

} // namespace hetmp::perf

extern "C" const hetmp::perf::CounterPlugin* hetmp_counter_plugin();
