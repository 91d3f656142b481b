// How a thread waits and executes tasks meanwhile, whatever it waits for.
#pragma once

#include "base/check.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/handing_over.hpp"
#include "runtime/tasking/task_journey.hpp"
#include "runtime/team/node_team.hpp"
#include "runtime/team/thread.hpp"

#include <utility>

namespace hetmp::runtime {

/// Executes tasks of the calling thread's team until `done()`, which reads by seq_cst what somebody writes and then
/// rings the team's bell. `constraint`: see may_run().
template <class Done> void help_until(Thread& self, const GeneratingTask* constraint, Done&& done) {
  ImplicitTask& implicit = *self.task;
  TeamTasks& tasks = implicit.team->tasks;
  HETMP_CHECK(implicit.local_number < tasks.count);
  const bool several_nodes = implicit.team->global != nullptr;
  const GeneratingTask* outer = std::exchange(implicit.constraint, constraint);
  const auto run = [&](ExplicitTask& task) {
    if (!several_nodes) {
      implicit.has_waited ? run_on_journey(self, task, constraint) : run_task(self, task);
      return;
    }
    offer_surplus(self);
    run_timed_task(self, task);
  };
  while (!done()) {
    if (several_nodes && take_back(self))
      continue;
    if (ExplicitTask* task =
            tasks.take_own(implicit.local_number, constraint)) { // without a look at what others are about
      run(*task);
      continue;
    }
    tasks.let_tasks_gather(implicit.local_number, done);
    const uint64_t seen = tasks.pushes(); // before looking: a task that is pushed afterwards changes it
    ExplicitTask* task = tasks.take(implicit.local_number, constraint);
    if (!task && several_nodes && take_back(self)) // since the look above and before `seen`
      continue;
    if (!task && constraint) // without one all are allowed
      task = tasks.take_from_anywhere(constraint);
    if (task) {
      run(*task);
      continue;
    }
    tasks.bell.ring_after_plain_writes(); // what this thread has completed may be the last one that another waits for
    tasks.bell.wait_until([&] { return done() || tasks.pushes() != seen; });
  }
  HETMP_CHECK(self.task == &implicit && implicit.constraint == constraint); // as the tasks have found it
  implicit.constraint = outer;
}

} // namespace hetmp::runtime
