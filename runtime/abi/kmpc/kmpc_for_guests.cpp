// What deputies do for threads that are executed on another node (dsm/guest_calls.hpp): the same as the entry points of
// those names, but by another thread. Nothing here may ask which thread is calling.
#include "dsm/guest_calls.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/kmpc/kmp_static_loop.hpp"
#include "runtime/regions/travelling.hpp"
#include "runtime/sync/barrier.hpp"
#include "runtime/sync/mapped_reductions.hpp"
#include "runtime/sync/reduction.hpp"
#include "runtime/sync/single.hpp"
#include "runtime/tasking/execution.hpp"
#include "runtime/tasking/task_reduction.hpp"
#include "runtime/team/thread.hpp"

namespace hetmp::runtime {
namespace {

template <class T> T* pointer(uint64_t address) { return reinterpret_cast<T*>(address); }

template <class T> void divide(const Thread& self, const dsm::GuestCall& call, dsm::GuestAnswer& answer) {
  using Signed = std::make_signed_t<T>;
  int32_t last = 0;
  T lower = T(call.arguments[1]), upper = T(call.arguments[2]);
  Signed stride = 0;
  divide_static_loop<T>({&last, &lower, &upper, &stride, Signed(call.arguments[3]), Signed(call.arguments[4])},
                        self.gtid, int32_t(call.arguments[0]), pointer<const SourceLocation>(call.location),
                        pointer<const void>(call.site));
  answer.results[0] = uint64_t(last);
  answer.results[1] = uint64_t(lower);
  answer.results[2] = uint64_t(upper);
  answer.results[3] = uint64_t(stride);
}

ReductionRequest reduction_of(const dsm::GuestCall& call) {
  return {has_atomic_reduction(pointer<const SourceLocation>(call.location)),
          call.arguments[4] != 0,
          uint32_t(call.arguments[0]),
          pointer<void>(call.arguments[1]),
          reinterpret_cast<void (*)(void*, void*)>(call.arguments[2]),
          pointer<CriticalName>(call.arguments[3]),
          pointer<const void>(call.site)};
}

} // namespace

bool travelling::make_guest_call(void* thread, const dsm::GuestCall& call, dsm::GuestAnswer& answer) {
  using dsm::GuestFunction;
  Thread& self = *static_cast<Thread*>(thread);
  ImplicitTask& task = *self.task;
  if (call.loop_ended != 0)
    end_static_loop(task);
  switch (call.function) {
  case GuestFunction::Barrier:
    return team_barrier_by_other(task);
  case GuestFunction::Team:
    answer.results[0] = task.number;
    answer.results[1] = task.team_size;
    return true;
  case GuestFunction::StaticLoop4:
    divide<int32_t>(self, call, answer);
    return true;
  case GuestFunction::StaticLoop4u:
    divide<uint32_t>(self, call, answer);
    return true;
  case GuestFunction::StaticLoop8:
    divide<int64_t>(self, call, answer);
    return true;
  case GuestFunction::StaticLoop8u:
    divide<uint64_t>(self, call, answer);
    return true;
  case GuestFunction::LoopEnds:
    end_static_loop(task);
    return true;
  case GuestFunction::Single:
    answer.results[0] = begin_single(task);
    return true;
  case GuestFunction::Reduction:
    answer.results[0] = uint64_t(ReductionAnswer::Atomic);
    return begin_atomic_reduction(task, reduction_of(call));
  case GuestFunction::ReductionEnds:
    return end_atomic_reduction_by_other(task);
  case GuestFunction::ChildTasks:
    return !generating_task(task).has_unfinished_children();
  case GuestFunction::ReductionCopy: {
    void* const copy =
        reduction_copy_by_other(task, pointer<TaskGroup>(call.arguments[0]), pointer<void>(call.arguments[1]));
    answer.results[0] = reinterpret_cast<uint64_t>(copy);
    return copy != nullptr;
  }
  case GuestFunction::MappedCopy: {
    void* pointers[] = {pointer<void>(call.arguments[1]), nullptr};
    if (find_copies(task, 1, 1, pointers) != 1)
      return false; // at home that is told
    answer.results[0] = reinterpret_cast<uint64_t>(pointers[0]);
    answer.results[1] = reinterpret_cast<uint64_t>(pointers[1]);
    return true;
  }
  }
  return false;
}

} // namespace hetmp::runtime
