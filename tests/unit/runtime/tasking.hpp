// Tasks written as lambdas, on top of the runtime's own interface.
#pragma once

#include "kmpc.hpp"

#include "runtime/task_graph/task_memory.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/undeferred.hpp"
#include "runtime/team/thread.hpp"

#include <new>
#include <utility>
#include <vector>

namespace hetmp::test {

using runtime::Dependence;
using runtime::DependenceKind;
using runtime::ExplicitTask;
using runtime::TaskRequest;

inline runtime::Thread& here() { return runtime::current_thread(); }

/// A task that is yet to be submitted.
template <class Body> ExplicitTask& make(Body body, TaskRequest request = {}) {
  request.body_bytes = sizeof(Body);
  request.function = [](int, void* argument) { (*static_cast<Body*>(argument))(); };
  request.finalise = [](int, void* argument) { static_cast<Body*>(argument)->~Body(); };
  ExplicitTask& task = runtime::make_task(here(), request);
  new (task.body) Body(std::move(body));
  return task;
}

/// #pragma omp task
template <class Body> void task(Body body, std::vector<Dependence> dependences = {}) {
  runtime::submit_task(here(), make(std::move(body)), std::move(dependences));
}

inline void taskwait() { runtime::wait_for_children(here()); }

} // namespace hetmp::test
