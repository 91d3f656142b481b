// Instructions and cache misses of threads, counted by PAPI where it is installed and the machine lets it.
// PAPI is reached through a plugin beside libhetmp.so, loaded by the first call that needs it and never
// without one: ordinary runs on one node do not see it.
//
// The environment variable HETMP_COUNTERS="MISSES[,INSTRUCTIONS]" names other events than the default ones,
// by PAPI's names of preset (PAPI_L2_DCM) or native events (perf::PAGE-FAULTS).
#pragma once

#include <cstdint>
#include <string>

namespace hetmp::perf {

struct CounterReading {
  uint64_t instructions = 0; ///< 0 = not counted
  uint64_t cache_misses = 0; ///< or what the user named to stand for them
};

/// Of what was counted between two readings, or summed over threads; negative if instructions were not
/// counted.
double misses_per_kilo_instruction(const CounterReading& counted);

/// What a thread counts. It lies with whoever keeps the thread's record, in private memory, and may be used
/// for another thread once it is stopped. Only the thread itself may pass it to the functions below.
class ThreadCounters {
 public:
  bool running() const { return plugin_thread_ != nullptr; }

 private:
  friend bool start_thread_counters(ThreadCounters& counters);
  friend CounterReading read_thread_counters(const ThreadCounters& counters);
  friend void stop_thread_counters(ThreadCounters& counters);
  void* plugin_thread_ = nullptr;
  bool refused_ = false; ///< tried in vain, and not tried again
};

struct CounterSettings {
  std::string folder;   ///< of the plugin; empty = of the library that holds this code
  bool complain = true; ///< about HETMP_COUNTERS; one process of a program should
};
/// Before the first use of what follows; later it has no effect.
void set_counter_settings(const CounterSettings& settings);

// The first of these calls loads PAPI, which takes milliseconds and, if HETMP_COUNTERS cannot be followed,
// says so in one line: make it before time is measured.

/// Whether anything is counted.
bool counters_available();
/// One clause: the events ("PAPI_TOT_INS, PAPI_L3_TCM"), or why there are none ("hetmp was built without PAPI ...",
/// "this machine has no hardware counters", "the kernel refuses counters (perf_event_paranoid is 4)").
const std::string& counters_state();
/// Begins to count on the calling thread. Cheap when it already does or cannot: then false.
bool start_thread_counters(ThreadCounters& counters);
/// Totals since the start; zero if nothing is counted.
CounterReading read_thread_counters(const ThreadCounters& counters);
/// To be called before the thread ends.
void stop_thread_counters(ThreadCounters& counters);

} // namespace hetmp::perf
