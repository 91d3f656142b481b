// Tasks of this node that another has been offered: known by a number while their records stay here.
#pragma once

#include "runtime/task_graph/task.hpp"

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t no_slot = UINT32_MAX;

/// The number of a task that is about to be offered; no_slot if too many are away.
uint32_t send_away(ExplicitTask& task);

/// A task that was sent away is back; `word` as in ExplicitTask::away_word. It is put before the threads of its team,
/// which may be at a barrier. Takes no lock: by whoever receives messages. False if it is not away.
bool come_back(uint32_t slot, uint64_t word);

/// In a forked child: none is away.
void forget_away_tasks();

} // namespace hetmp::runtime
