// Ordered regions that a tool (OMPT) is told of.
#pragma once

#include "runtime/loops/loop.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/team/implicit_task.hpp"

namespace hetmp::runtime {

/// By an entry point that is called from `caller`. Inlined: what a tool takes for the entry point's frame is in it.
__attribute__((always_inline)) inline void begin_ordered_from(const void* caller, ImplicitTask& task) {
  ompt::entered(caller, [&] { ompt::take_mutex(ompt::MutexKind::Ordered, task.team, [&] { begin_ordered(task); }); });
}

__attribute__((always_inline)) inline void end_ordered_from(const void* caller, ImplicitTask& task) {
  ompt::entered(caller, [&] { ompt::release_mutex(ompt::MutexKind::Ordered, task.team, [&] { end_ordered(task); }); });
}

} // namespace hetmp::runtime
