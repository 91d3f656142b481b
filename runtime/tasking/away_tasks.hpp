// Tasks of this node that another has been offered: known by a number while their records stay here.
#pragma once

#include "runtime/global/handover.hpp"
#include "runtime/task_graph/task.hpp"

#include <cstdint>

namespace hetmp::runtime {

inline constexpr uint32_t no_slot = UINT32_MAX;

/// The number of a task that is about to be offered; no_slot if too many are away.
uint32_t send_away(ExplicitTask& task);

/// Tasks that were sent away are back; `word` as in an answer of kind TasksBack. They are put before the threads of
/// their team, which may be at a barrier. Takes no lock: by whoever receives messages. False if one of them is not
/// away.
bool come_back(const Handover& tasks, uint64_t word);

/// In a forked child: none is away.
void forget_away_tasks();

} // namespace hetmp::runtime
