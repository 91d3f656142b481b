#include "runtime/ompt/events.hpp"

#include "base/check.hpp"
#include "runtime/ompt/telling.hpp"

#include <cstring>
#include <utility>

namespace hetmp::runtime::ompt {

// ---- threads

namespace {

constexpr uint32_t initial_index = 1; ///< of an initial task that is not a league's: as libomp counts

void initial_task_begins(ThreadRecord& self) {
  HETMP_CHECK(!self.task);
  auto* const task = new TaskRecord;
  task->flags = task_initial;
  task->region = new RegionRecord; // the implicit one around all others
  self.task = task;
  tell<Event::ImplicitTask>(Endpoint::Begin, &task->region->data, &task->data, 1U, initial_index, task_initial);
  self.state = State::WorkSerial;
}

void initial_task_ends(ThreadRecord& self) {
  TaskRecord* const task = std::exchange(self.task, nullptr);
  HETMP_CHECK(task->region && !task->below);
  tell<Event::ImplicitTask>(Endpoint::End, &task->region->data, &task->data, 0U, initial_index, task_initial);
  delete task->region;
  delete task;
}

/// While it is told the thread still has its data.
void tell_end(ThreadRecord& self) {
  if (self.task && (self.task->flags & task_initial) != 0)
    initial_task_ends(self);
  tell<Event::ThreadEnd>(&self.data);
  own_thread.observed = nullptr;
}

} // namespace

bool start_tool() { return the_tool().start(); }

void thread_begins(ThreadKind kind) {
  if (!the_tool().is_active())
    return;
  HETMP_CHECK(!own_thread.observed);
  auto* const self = new ThreadRecord;
  self->kind = kind;
  self->state = kind == ThreadKind::Worker ? State::Idle : State::Overhead;
  own_thread.observed = self;
  tell<Event::ThreadBegin>(kind, &self->data);
  if (kind == ThreadKind::Initial)
    initial_task_begins(*self);
}

void thread_ends() {
  ThreadRecord* const self = observed();
  if (!self)
    return;
  tell_end(*self);
  delete self;
}

void finish_tool() {
  if (ThreadRecord* const self = observed()) // it stays: a callback may have called, inside of scopes that look at it
    tell_end(*self);
  the_tool().finish();
}

bool has_tool() { return the_tool().is_active(); }

void forget_tool_in_child() {
  own_thread.observed = nullptr;
  the_tool().forget();
}

// ---- calls of the runtime

Entered::Entered(ThreadRecord& self, const void* caller, SyncKind barrier)
    : self_(self), caller_before_(self.caller), barrier_before_(self.barrier) {
  self.caller = caller;
  self.barrier = barrier;
  if (!self.task)
    return;
  self.task->frame.enter.pointer = this; // it lies in the frame of the entry point
  self.task->frame.enter_flags = frame_of_runtime | frame_stack_address;
}

/// Of the task that is executed then: the call may have begun another one, or ended the one that has called.
Entered::~Entered() {
  self_.caller = caller_before_;
  self_.barrier = barrier_before_;
  if (own_thread.observed && self_.task)
    self_.task->frame.enter.pointer = nullptr;
}

// ---- regions

RegionRecord* tell_region_begins(ThreadRecord& self, uint32_t requested, int flags) {
  auto* const region = new RegionRecord;
  region->flags = flags;
  region->encountering = self.task;
  region->caller = self.caller;
  region->teams = requested;
  if (self.task)
    tell<Event::ParallelBegin>(&self.task->data, &self.task->frame, &region->data, requested, flags, self.caller);
  return region;
}

void region_ends(RegionRecord* region) {
  HETMP_CHECK(region);
  HETMP_CHECK(!observed() || observed()->task == region->encountering); // the construct's task goes on
  if (ThreadRecord* const self = observed(); self && self->task)
    tell<Event::ParallelEnd>(&region->data, &self->task->data, region->flags,
                             self->caller ? self->caller : region->caller);
  delete region;
}

void implicit_task_begins(RegionRecord& region, uint32_t number, uint32_t team_size, int flags) {
  ThreadRecord* const self = observed();
  if (!self)
    return;
  if ((region.flags & is_league) != 0) {
    number = region.next_team++;
    team_size = region.teams;
    flags = task_initial;
  } else if (team_size == 1) {
    flags |= task_undeferred;
  }
  HETMP_CHECK(number < team_size);
  auto* const task = new TaskRecord;
  task->flags = flags;
  task->region = &region;
  task->number = number;
  task->team_size = team_size;
  task->below = region.encountering;
  self->task = task;
  tell<Event::ImplicitTask>(Endpoint::Begin, &region.data, &task->data, team_size, number,
                            flags & (task_initial | task_implicit));
  self->state = working_state(*self);
}

void implicit_task_returns() {
  if (ThreadRecord* const self = observed(); self && self->task)
    self->task->frame.exit.pointer = nullptr;
}

void implicit_task_ends(uint32_t team_size) {
  ThreadRecord* const self = observed();
  if (!self || !self->task)
    return;
  TaskRecord* const task = self->task;
  const bool is_initial = (task->flags & task_initial) != 0; // of a league's team
  tell<Event::ImplicitTask>(Endpoint::End, static_cast<Data*>(nullptr), &task->data, is_initial ? 0 : team_size,
                            task->number, task->flags & (task_initial | task_implicit));
  self->task = task->below; // of a worker that has left the region none
  self->state = self->task ? working_state(*self) : State::Idle;
  delete task;
}

// ---- what else there is

int control_tool(uint64_t command, uint64_t modifier, void* argument) {
  constexpr int no_tool = -2, no_callback = -1;
  const ThreadRecord* const self = observed();
  if (!self)
    return no_tool;
  const auto callback = the_tool().callback<Event::ControlTool>();
  if (!callback)
    return no_callback;
  return reinterpret_cast<ControlToolFunction>(callback)(command, modifier, argument, self->caller);
}

void tell_error(Severity severity, const char* message, const void* caller) {
  if (observed())
    tell<Event::Error>(severity, message, uint64_t(strlen(message)), caller);
}

} // namespace hetmp::runtime::ompt
