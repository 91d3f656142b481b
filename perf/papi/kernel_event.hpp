// Events that the kernel itself names, counted without PAPI. PAPI needs to know the processor's own events
// and offers nothing, not even the kernel's, on one that it does not know: a newer processor, or most virtual
// machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hetmp::perf {

struct KernelEvent {
  uint32_t type = 0; ///< as in perf_event_attr
  uint64_t config = 0;
  bool operator==(const KernelEvent&) const = default;
};

/// By PAPI's names: "perf::PERF_COUNT_HW_CACHE_MISSES", "perf::CACHE-MISSES", "perf::PAGE-FAULTS"; the prefix
/// may be left out.
std::optional<KernelEvent> find_kernel_event(std::string_view name);

/// Counts an event on the thread that starts it, in user code only where the kernel insists on that or the
/// event is of the processor.
class KernelCounter {
 public:
  KernelCounter() = default;
  ~KernelCounter();
  KernelCounter(const KernelCounter&) = delete;
  KernelCounter& operator=(const KernelCounter&) = delete;

  /// False if the kernel does not count this here; errno says why.
  bool start(KernelEvent event);
  /// Since start(); extrapolated if the kernel had to share its counters out in turns.
  bool read(uint64_t& count) const;

 private:
  int descriptor_ = -1;
};

/// Why the kernel counts no instructions here, a clause; empty if it does.
std::string why_no_hardware_counters();

} // namespace hetmp::perf
