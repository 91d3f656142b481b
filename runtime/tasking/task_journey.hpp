// A task's code on a thread that is on a journey (regions/travelling.hpp): it may be executed elsewhere for a while,
// though what has called it, a barrier or a taskwait, is private to the process.
#pragma once

namespace hetmp::runtime {

struct ExplicitTask;

/// Calls the task's function; at home when it returns.
void call_on_journey(const ExplicitTask& task, int gtid);

} // namespace hetmp::runtime
