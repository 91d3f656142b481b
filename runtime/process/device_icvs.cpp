#include "runtime/process/device_icvs.hpp"

#include "runtime/process/library.hpp"
#include "runtime/settings/icv.hpp"

#include <algorithm>
#include <atomic>

namespace hetmp::runtime {
namespace {

/// An ICV that calls may set.
class Settable {
 public:
  void set(int32_t value) { value_.store(value, std::memory_order_relaxed); }
  int32_t set_value() const { return value_.load(std::memory_order_relaxed); }
  int value_or(int ProgramIcvs::*from_environment) const {
    const int32_t value = set_value();
    if (value != DeviceIcvs::not_set)
      return value;
    initialise_runtime();
    return program_icvs().*from_environment;
  }

 private:
  std::atomic<int32_t> value_{DeviceIcvs::not_set}; ///< relaxed: only a number, it guards nothing
};

/// The one device: all nodes of the program.
class Device {
 public:
  DeviceIcvs icvs() const { return {teams_.set_value(), thread_limit_.set_value()}; }
  void set(const DeviceIcvs& icvs) {
    teams_.set(icvs.teams);
    thread_limit_.set(icvs.teams_thread_limit);
  }
  Settable& teams() { return teams_; }
  Settable& thread_limit() { return thread_limit_; }

 private:
  Settable teams_, thread_limit_;
};

constinit Device device;

} // namespace

DeviceIcvs device_icvs() { return device.icvs(); }

void set_device_icvs(const DeviceIcvs& icvs) { device.set(icvs); }

int max_teams() { return device.teams().value_or(&ProgramIcvs::teams); }
void set_max_teams(int teams) { device.teams().set(std::max(teams, 0)); }
int teams_thread_limit() { return device.thread_limit().value_or(&ProgramIcvs::teams_thread_limit); }
void set_teams_thread_limit(int limit) { device.thread_limit().set(std::max(limit, 0)); }

} // namespace hetmp::runtime
