// A node of a test that plays several in one process, each with a device of its own; and what they check.
#pragma once

#include "dsm/rdma_plugin.hpp"
#include "dsm/transport/rdma/rdma_device.hpp"

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <poll.h>
#include <sys/mman.h>

namespace hetmp::dsm {

__attribute__((format(printf, 2, 3))) inline void require(bool holds, const char* format, ...) {
  if (holds)
    return;
  va_list arguments;
  va_start(arguments, format);
  printf("failed: ");
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  fflush(stdout);
  _exit(1);
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Limits {
  uint32_t nodes = 3;
  uint32_t most_posts = 256;
  uint32_t most_arrivals = 256;
};

inline constexpr size_t slot_bytes = 4352; ///< more than a packet has
inline constexpr uint32_t slots = 64;

class Side {
 public:
  using Completion = RdmaCompletion;
  static constexpr size_t ring_bytes = slots * slot_bytes; // of whole pages

  Side(const RdmaPlugin& plugin, uint32_t self, const Limits& limits)
      : limits_(limits), self_(self), rings_(map(limits.nodes)), staging_(map(limits.nodes)), device_(plugin.make()) {}
  ~Side() {
    device_.reset();
    munmap(rings_, limits_.nodes * ring_bytes);
    munmap(staging_, limits_.nodes * ring_bytes);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  std::string open(std::string_view wish = {}) {
    RdmaDemand demand;
    demand.self = self_;
    demand.nodes = limits_.nodes;
    demand.device = wish;
    demand.rings = rings_;
    demand.staging = staging_;
    demand.ring_bytes = ring_bytes;
    demand.most_posts = limits_.most_posts;
    demand.most_arrivals = limits_.most_arrivals;
    return device_->open(demand);
  }

  RdmaDevice& device() { return *device_; }
  uint32_t self() const { return self_; }
  uint8_t* staged(uint32_t to, uint32_t slot) { return staging_ + to * ring_bytes + slot * slot_bytes; }
  const uint8_t* arrived(uint32_t from, uint32_t slot) const { return rings_ + from * ring_bytes + slot * slot_bytes; }

  /// Sleeps as a service thread does until something comes; false after so many seconds.
  bool sleep_until_completion(Completion& completion, double seconds) {
    device_->arm();
    if (device_->poll({&completion, 1}) != 0)
      return true; // the armed event may follow; it is acknowledged by the next sleep
    pollfd waiting[] = {{device_->completion_descriptor(), POLLIN, 0}, {device_->event_descriptor(), POLLIN, 0}};
    const double end = seconds_now() + seconds;
    while (seconds_now() < end) {
      if (::poll(waiting, 2, 100) > 0 && waiting[1].revents != 0)
        if (const auto event = device_->take_event())
          require(false, "node %u: %s", self_, event->c_str());
      device_->acknowledge();
      device_->arm();
      if (device_->poll({&completion, 1}) != 0)
        return true;
    }
    return false;
  }

 private:
  static uint8_t* map(uint32_t nodes) {
    void* area = mmap(nullptr, nodes * ring_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(area != MAP_FAILED, "no memory");
    return static_cast<uint8_t*>(area);
  }

  Limits limits_;
  uint32_t self_;
  uint8_t *rings_, *staging_;
  std::unique_ptr<RdmaDevice> device_;
};

} // namespace hetmp::dsm
