// `teams` on the host: the thread that meets the construct executes the teams of the league one after the other, as the
// initial thread of each. Teams may not wait for each other, and the parallel regions inside of each can use all
// threads and nodes.
#pragma once

#include "runtime/process/invoke.hpp"

#include <cstdint>

namespace hetmp::runtime {

struct ImplicitTask;
struct Thread;

struct League {
  uint32_t teams = 1;
  uint32_t thread_limit = 0; ///< of a team's regions; 0: none of its own
  bool on_device =
      false; ///< of a target region: its tasks know the ICVs of the device, not those of the task that meets it
};

/// Where a task is in the league of the `teams` construct around it; a league of one where there is none.
struct LeaguePlace {
  uint32_t teams = 1;
  uint32_t number = 0; ///< of its team
};
LeaguePlace league_place(const ImplicitTask& task);

/// Of an initial thread that executes the teams in a loop of its own.
void set_league_place(ImplicitTask& initial, LeaguePlace place);

/// Calls microtask(&gtid, &zero, arguments..) once for each team, in the way of `invoke`.
void execute_league(Thread& self, const void* source, const League& league, void* microtask, uint32_t count,
                    void* const* arguments, Invoker invoke = invoke_microtask);

} // namespace hetmp::runtime
