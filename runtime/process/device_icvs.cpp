#include "runtime/process/device_icvs.hpp"

#include "runtime/process/library.hpp"
#include "runtime/settings/icv.hpp"

#include <algorithm>
#include <atomic>

namespace hetmp::runtime {
namespace {

// relaxed: only numbers, they guard nothing.
std::atomic<int32_t> teams_set{DeviceIcvs::not_set};
std::atomic<int32_t> thread_limit_set{DeviceIcvs::not_set}; // relaxed, likewise

/// relaxed: only a number.
int value_of(const std::atomic<int32_t>& set, int ProgramIcvs::*from_environment) {
  const int value = set.load(std::memory_order_relaxed);
  if (value != DeviceIcvs::not_set)
    return value;
  initialise_runtime();
  return program_icvs().*from_environment;
}

} // namespace

DeviceIcvs device_icvs() {
  return {teams_set.load(std::memory_order_relaxed), thread_limit_set.load(std::memory_order_relaxed)};
}

void set_device_icvs(const DeviceIcvs& icvs) {
  teams_set.store(icvs.teams, std::memory_order_relaxed);
  thread_limit_set.store(icvs.teams_thread_limit, std::memory_order_relaxed);
}

int max_teams() { return value_of(teams_set, &ProgramIcvs::teams); }
void set_max_teams(int teams) { teams_set.store(std::max(teams, 0), std::memory_order_relaxed); }
int teams_thread_limit() { return value_of(thread_limit_set, &ProgramIcvs::teams_thread_limit); }
void set_teams_thread_limit(int limit) { thread_limit_set.store(std::max(limit, 0), std::memory_order_relaxed); }

} // namespace hetmp::runtime
