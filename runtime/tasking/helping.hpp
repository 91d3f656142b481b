// Threads that wait execute tasks meanwhile: at which constructs. How is help_until.hpp's.
#pragma once

#include "runtime/task_graph/dependences.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::runtime {

struct ImplicitTask;
struct NodeTeam;
struct Thread;

// ---- by tasks

/// taskwait: the children of the present task.
void wait_for_children(Thread& self);

/// taskwait with dependences; `nowait`: only puts what comes later behind them.
void wait_for_dependences(Thread& self, std::vector<Dependence> dependences, bool nowait);

/// taskyield: executes another task, if there is one; whether there was.
bool yield_to_task(Thread& self);

/// By a thread that would execute the task that it has generated, but what that depends on is not done. Where the team
/// shares one CPU, it does not go far ahead of those who are at it. Nor does it wait: they may need what it does next.
void let_others_catch_up(Thread& self);

void begin_taskgroup(Thread& self);
/// Waits for all tasks generated in it, and their descendants.
void end_taskgroup(Thread& self);

// ---- by the team

/// `self` has generated tasks of the team: wakes threads that wait at a barrier, calls back those that have left the
/// region already. An initial thread with helpers finishes them before it ends.
void announce_tasks(Thread& self, NodeTeam& team);

/// At a barrier, by a thread that has come before others: returns when it is complete.
void help_at_barrier(ImplicitTask& task, uint32_t epoch);

/// At a barrier, by the last thread of the node to come: returns when no task is left.
void finish_tasks(ImplicitTask& task);

/// Before the task begins.
void reset_tasking(ImplicitTask& task);

/// In a forked child: what its thread, an initial one outside of any region, had not finished is the parent process's
/// to finish. Waiting for it would have no end here, and executing it again would do it twice.
void forget_unfinished_tasks(Thread& self);

} // namespace hetmp::runtime
