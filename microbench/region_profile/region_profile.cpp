// A tool for any OpenMP runtime with OMPT: which parallel regions a program spends its time in, and how much of that
// its threads wait at barriers. When the program ends it prints a line for each region, the longest first:
//
//   OMP_TOOL_LIBRARIES=libregion-profile.so ./program
//
// Regions are told apart by the address that their construct returns to; `addr2line -e program ADDRESS` has the line.
#include <omp-tools.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What all visits of a region come to.
struct Region {
  uint64_t visits = 0;
  double seconds = 0;        ///< from begin to end, as its primary sees it
  double waited_seconds = 0; ///< at barriers, by all threads
  unsigned most_threads = 0;
};

/// Of a visit: what the runtime keeps in parallel_data.
struct Visit {
  const void* place;
  Clock::time_point begun;
};

std::mutex mutex;
std::map<const void*, Region> regions; ///< by place; with the mutex
thread_local Clock::time_point wait_begun;
thread_local std::vector<const void*> places; ///< of the regions that the thread is in

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel, unsigned, int, const void* place) {
  parallel->ptr = new Visit{place, Clock::now()};
}

void on_parallel_end(ompt_data_t* parallel, ompt_data_t*, int, const void*) {
  auto* const visit = static_cast<Visit*>(parallel->ptr);
  {
    const std::lock_guard guard(mutex);
    Region& region = regions[visit->place];
    region.visits++;
    region.seconds += seconds_since(visit->begun);
  }
  delete visit;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t*, unsigned threads, unsigned,
                      int flags) {
  if ((flags & ompt_task_initial) != 0)
    return;
  if (endpoint == ompt_scope_end) {
    if (!places.empty())
      places.pop_back();
    return;
  }
  places.push_back(static_cast<const Visit*>(parallel->ptr)->place);
  const std::lock_guard guard(mutex);
  Region& region = regions[places.back()];
  region.most_threads = std::max(region.most_threads, threads);
}

void on_sync_region_wait(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, const void*) {
  if (endpoint == ompt_scope_begin) {
    wait_begun = Clock::now();
    return;
  }
  if (places.empty())
    return;
  const std::lock_guard guard(mutex);
  regions[places.back()].waited_seconds += seconds_since(wait_begun);
}

/// As addr2line wants it: in an executable that moves, the distance from its beginning.
uintptr_t in_its_object(const void* place) {
  Dl_info object{};
  const auto address = reinterpret_cast<uintptr_t>(place);
  return dladdr(place, &object) ? address - reinterpret_cast<uintptr_t>(object.dli_fbase) : address;
}

int initialise(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  set(ompt_callback_parallel_begin, reinterpret_cast<ompt_callback_t>(on_parallel_begin));
  set(ompt_callback_parallel_end, reinterpret_cast<ompt_callback_t>(on_parallel_end));
  set(ompt_callback_implicit_task, reinterpret_cast<ompt_callback_t>(on_implicit_task));
  set(ompt_callback_sync_region_wait, reinterpret_cast<ompt_callback_t>(on_sync_region_wait));
  return 1;
}

void finalise(ompt_data_t*) {
  const std::lock_guard guard(mutex);
  std::vector<std::pair<const void*, Region>> all(regions.begin(), regions.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  fprintf(stderr, "%-18s %9s %8s %12s %12s\n", "region", "visits", "threads", "seconds", "waited");
  for (const auto& [place, region] : all)
    fprintf(stderr, "0x%-16" PRIxPTR " %9" PRIu64 " %8u %12.6f %12.6f\n", in_its_object(place), region.visits,
            region.most_threads, region.seconds, region.waited_seconds);
}

} // namespace

extern "C" __attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result = {initialise, finalise, {0}};
  return &result;
}
