// Tasks that lie about while their node's threads are busy with something else.
//
// A node offers its surplus when its threads generate, complete or wait for tasks. A thread that does none of these,
// but executes one long task, or waits in a loop of the program's own for what the tasks are to do, keeps them from
// nodes that have nothing to do; alone on its node it may wait for ever. So from the first ready task of a team on
// several nodes on, a thread of the library looks now and then whether tasks have been left where they are, and offers
// them in its stead. It executes none, only completes what has come back executed, and sleeps once no team has had any
// for a while.
#pragma once

namespace hetmp::runtime {

struct NodeTeam;

/// After a ready task has been put into a queue of the team.
void watch_tasks(NodeTeam& team);

/// Before the team's queues go, while it has no tasks.
void stop_watching(NodeTeam& team);

/// In a forked child: the thread that looked does not exist here.
void forget_task_watch();

} // namespace hetmp::runtime
