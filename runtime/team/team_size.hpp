// How many threads a parallel construct gets (OpenMP 5.1, section 2.6.1).
#pragma once

#include "runtime/team/thread.hpp"

namespace hetmp::runtime {

/// Of the thread's next team, by its clause, the ICVs and the limits; at least 1. The clause is used up. They are taken
/// from counted_group(), if there is one, and given back when the team ends.
uint32_t wanted_threads(Thread& self);

/// The group that counts the threads of regions that the task meets. Null: none yet, or the task has a limit of its
/// own, by a clause: then the region it meets begins one.
ContentionGroup* counted_group(const ImplicitTask& task);

/// The node's part of a team begins a group, if there is a limit. Its description is complete.
void begin_contention_group(NodeTeam& team);

/// As wanted_threads(), or more: without the limits.
uint32_t most_threads_of_next_team(const Thread& self);

/// For use_strict_clause().
void tell_smaller_team(const StrictSize& wanted, uint32_t threads);

/// Its clause that wants just so many threads or a message, if there is one, is used up by a team of `threads`. Ends
/// the program if that is too small and the clause says so.
inline void use_strict_clause(Thread& self, uint32_t threads) {
  if (self.pushed_strict.threads > threads) [[unlikely]]
    tell_smaller_team(self.pushed_strict, threads);
  self.pushed_strict.threads = 0;
}

} // namespace hetmp::runtime
