// PAPI as far as it is used here.
#pragma once

#include <optional>
#include <string>

namespace hetmp::perf {

/// Starts PAPI, once; later calls only answer. Empty if it runs, otherwise why not, a clause. One thread at a
/// time.
const std::string& start_papi();

/// PAPI's code of an event; nothing if it knows none of this name, or not on this machine.
std::optional<int> find_papi_event(const std::string& name);

/// Whether the name is one of PAPI's, be it on other machines only.
bool is_papi_preset(const std::string& name);

/// Lets go of what PAPI keeps of the calling thread, whose event sets are gone.
void forget_thread();

/// Events that the calling thread counts together.
class EventSet {
 public:
  static constexpr int most_events = 2;

  EventSet() = default;
  ~EventSet();
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  /// False if PAPI or the kernel does not count these here.
  bool start(const int* codes, int count);
  /// Totals since start(), in the order of the codes.
  bool read(long long* values) const;

 private:
  int set_ = -1; // PAPI_NULL
  bool created_ = false;
  bool running_ = false;
};

} // namespace hetmp::perf
