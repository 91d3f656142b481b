// Nodes without work take tasks from others.
//
// A node whose threads are all at a barrier, and that has no tasks left, waits there for the others; a node with ready
// tasks to spare offers some of the oldest, from which the most work follows. The coordinator (global/coordinator.hpp)
// gives them to a node of the team that waits, which then has not come to its barrier yet, or gives them back at once.
// The record stays where the task was generated and is completed there, with its dependences, taskgroup and parent,
// when the other node says that it has executed the task and all its descendants. So the barrier of the node that gave
// it is not over before, and nothing else of tasks has to know.
//
// A task travels as the names of its functions (base/elf/code_id.hpp) and the address of its body, which lies in memory
// that nodes share. Nothing is known of what it costs elsewhere, where its pages have to follow it; so the first tasks
// of a region are a probe. A region whose tasks are too small, or take far longer elsewhere, keeps them for a while.
#pragma once

#include "runtime/global/handover.hpp"
#include "runtime/task_graph/task.hpp"

#include <atomic>
#include <cstdint>

namespace hetmp::runtime {

struct Thread;

/// What is known of the tasks of one parallel region. Hints: relaxed accesses, and lost updates do no harm.
struct HandingKnowledge {
  std::atomic<int64_t> next_offer{0}; ///< not before that (monotonic nanoseconds); relaxed: only the number
  /// Nanoseconds a task took on its own node and elsewhere, smoothed; 0: none did. relaxed: only the numbers.
  std::atomic<int64_t> here{0}, there{0};
};

/// From now on no task is handed over: the handle of a task's event is an address that only its own node understands.
void keep_tasks_at_home();

/// Whether other nodes could take tasks of the team over.
bool tasks_may_leave(const NodeTeam& team);

/// Whether another node could execute the task as well.
bool may_travel(const ExplicitTask& task);

/// Whether a task that is queued may be offered now. With its queue's lock held: whoever makes a task that fulfils an
/// event calls keep_tasks_at_home() before it is queued.
bool may_go(const ExplicitTask& task);

/// Whether another node of a team on several waits for work, as far as is known; asks now and then.
bool somebody_waits(NodeTeam& team);

/// Why this node has offered no tasks though it had some of teams on several nodes; null if that has not been so.
const char* why_tasks_stayed();

/// The team runs on several nodes. Offers tasks of the calling thread's queue, if there are enough and it is time.
void offer_surplus(Thread& self);

/// Ends those that were executed elsewhere, queues those that nobody wanted; whether there were any.
bool take_back(Thread& self);

/// Both for the threads of a team that have not come to it for a while; by a thread that is not one of them.
void offer_for_others(NodeTeam& team);

/// Executes a task that was taken from the team's, and notes how long that took.
void run_timed_task(Thread& self, ExplicitTask& task);

/// By the leader of a node that waits at a barrier: puts them into its queue.
void accept_tasks(Thread& self, const Handover& handover);

} // namespace hetmp::runtime
