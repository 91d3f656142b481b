// What all events (events.hpp) are told with.
#pragma once

#include "runtime/ompt/records.hpp"
#include "runtime/ompt/tool.hpp"

namespace hetmp::runtime::ompt {

/// If the tool has asked for it.
template <Event event, class... Arguments> void tell(Arguments... arguments) {
  if (const auto callback = the_tool().callback<event>())
    callback(arguments...);
}

inline Data* data_of(RegionRecord* region) { return region ? &region->data : nullptr; }

/// In a region, also in one of one thread.
inline State working_state(const ThreadRecord& self) {
  return self.task && (self.task->flags & task_initial) == 0 ? State::WorkParallel : State::WorkSerial;
}

} // namespace hetmp::runtime::ompt
