// Events of synchronisation (events.hpp).
#include "base/check.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/ompt/telling.hpp"

#include <utility>

namespace hetmp::runtime::ompt {
namespace {

uint64_t id_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

State state_at(SyncKind kind) {
  switch (kind) {
  case SyncKind::BarrierImplicit:
    return State::WaitBarrierImplicit;
  case SyncKind::BarrierExplicit:
    return State::WaitBarrierExplicit;
  case SyncKind::BarrierImplementation:
    return State::WaitBarrierImplementation;
  case SyncKind::Taskwait:
    return State::WaitTaskwait;
  case SyncKind::Taskgroup:
    return State::WaitTaskgroup;
  case SyncKind::BarrierImplicitWorkshare:
    return State::WaitBarrierImplicitWorkshare;
  case SyncKind::BarrierImplicitParallel:
    return State::WaitBarrierImplicitParallel;
  case SyncKind::BarrierTeams:
    return State::WaitBarrierTeams;
  default:
    return State::WaitBarrier;
  }
}

State state_at(MutexKind kind) {
  switch (kind) {
  case MutexKind::Critical:
    return State::WaitCritical;
  case MutexKind::Atomic:
    return State::WaitAtomic;
  case MutexKind::Ordered:
    return State::WaitOrdered;
  default:
    return State::WaitLock;
  }
}

} // namespace

void SyncRegion::begin(SyncKind kind) {
  HETMP_CHECK(self_ == own_thread.observed);
  kind_ = kind;
  if (!self_->task)
    return;
  Data* const parallel = data_of(self_->task->region);
  tell<Event::SyncRegion>(kind, Endpoint::Begin, parallel, &self_->task->data, self_->caller);
  tell<Event::SyncRegionWait>(kind, Endpoint::Begin, parallel, &self_->task->data, self_->caller);
  state_before_ = std::exchange(self_->state, state_at(kind));
}

void SyncRegion::end() {
  if (own_thread.observed != self_ || !self_->task) // the tool has been ended meanwhile
    return;
  self_->state = state_before_;
  // Behind its end a region may be gone.
  Data* const parallel = kind_ == SyncKind::BarrierImplicitParallel ? nullptr : data_of(self_->task->region);
  tell<Event::SyncRegionWait>(kind_, Endpoint::End, parallel, &self_->task->data, self_->caller);
  tell<Event::SyncRegion>(kind_, Endpoint::End, parallel, &self_->task->data, self_->caller);
}

void taskgroup_begins() {
  ThreadRecord& self = *observed();
  if (self.task)
    tell<Event::SyncRegion>(SyncKind::Taskgroup, Endpoint::Begin, data_of(self.task->region), &self.task->data,
                            self.caller);
}

void TaskgroupEnd::begin() {
  HETMP_CHECK(self_ == own_thread.observed);
  if (!self_->task)
    return;
  tell<Event::SyncRegionWait>(SyncKind::Taskgroup, Endpoint::Begin, data_of(self_->task->region), &self_->task->data,
                              self_->caller);
  self_->state = State::WaitTaskgroup;
}

void TaskgroupEnd::end() {
  if (own_thread.observed != self_ || !self_->task)
    return;
  self_->state = working_state(*self_);
  Data* const parallel = data_of(self_->task->region);
  tell<Event::SyncRegionWait>(SyncKind::Taskgroup, Endpoint::End, parallel, &self_->task->data, self_->caller);
  tell<Event::SyncRegion>(SyncKind::Taskgroup, Endpoint::End, parallel, &self_->task->data, self_->caller);
}

void Reducing::tell(Endpoint endpoint) {
  if (own_thread.observed != self_ || !self_->task)
    return;
  ompt::tell<Event::Reduction>(SyncKind::Reduction, endpoint, data_of(self_->task->region), &self_->task->data,
                               self_->caller);
  self_->state = endpoint == Endpoint::Begin ? State::WorkReduction : working_state(*self_);
}

void lock_begins(MutexKind kind, uint32_t hint, const void* lock) {
  tell<Event::LockInit>(kind, hint, mutex_queues, id_of(lock), observed()->caller);
}

void lock_ends(MutexKind kind, const void* lock) { tell<Event::LockDestroy>(kind, id_of(lock), observed()->caller); }

void mutex_is_wanted(MutexKind kind, const void* mutex, uint32_t hint) {
  ThreadRecord& self = *observed();
  HETMP_CHECK(self.wait_id == 0); // one at a time
  tell<Event::MutexAcquire>(kind, hint, mutex_queues, id_of(mutex), self.caller);
  self.wait_id = id_of(mutex);
  self.state = state_at(kind);
}

void mutex_is_taken(MutexKind kind, const void* mutex) {
  HETMP_CHECK(!observed() || observed()->wait_id == id_of(mutex));
  mutex_is_not_taken();
  if (const ThreadRecord* const self = observed())
    tell<Event::MutexAcquired>(kind, id_of(mutex), self->caller);
}

void mutex_is_not_taken() {
  ThreadRecord* const self = observed();
  if (!self)
    return;
  self->wait_id = 0;
  self->state = working_state(*self);
}

void mutex_is_released(MutexKind kind, const void* mutex) {
  tell<Event::MutexReleased>(kind, id_of(mutex), observed()->caller);
}

void nest_lock_goes_on(Endpoint endpoint, const void* lock) {
  tell<Event::NestLock>(endpoint, id_of(lock), observed()->caller);
}

void tell_flush() {
  ThreadRecord& self = *observed();
  tell<Event::Flush>(&self.data, self.caller);
}

void tell_masked(Endpoint endpoint) {
  const ThreadRecord& self = *observed();
  if (self.task)
    tell<Event::Masked>(endpoint, data_of(self.task->region), &self.task->data, self.caller);
}

void tell_cancel(int flags) {
  const ThreadRecord& self = *observed();
  if (self.task)
    tell<Event::Cancel>(&self.task->data, flags, self.caller);
}

} // namespace hetmp::runtime::ompt
