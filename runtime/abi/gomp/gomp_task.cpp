// gcc's explicit tasks.
#include "runtime/abi/gomp/gomp_task.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/gomp_loop.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/process/invoke.hpp"
#include "runtime/sync/mapped_reductions.hpp"
#include "runtime/task_graph/task_memory.hpp"
#include "runtime/task_graph/taskloop.hpp"
#include "runtime/tasking/helping.hpp"
#include "runtime/tasking/taskloop_tasks.hpp"
#include "runtime/tasking/undeferred.hpp"
#include "runtime/team/team_facts.hpp"
#include "runtime/team/thread.hpp"

#include <algorithm>
#include <cstring>

using namespace hetmp::runtime;

/// Makes a copy of the data that a task takes with it.
using GompCopy = void (*)(void* to, void* from);

namespace {

// Flags of GOMP_task and GOMP_taskloop.
constexpr unsigned flag_untied = 1u << 0;
constexpr unsigned flag_final = 1u << 1;
constexpr unsigned flag_depend = 1u << 3;
constexpr unsigned flag_priority = 1u << 4;
constexpr unsigned flag_up = 1u << 8;
constexpr unsigned flag_grainsize = 1u << 9;
constexpr unsigned flag_if = 1u << 10;
constexpr unsigned flag_nogroup = 1u << 11;
constexpr unsigned flag_reduction = 1u << 12;
constexpr unsigned flag_detach = 1u << 13;
constexpr unsigned flag_strict = 1u << 14;

/// What lies in front of the program's data in a task's body.
struct alignas(16) Body {
  GompFunction function;
  void* data;
};

HETMP_CALLS_PROGRAM void run(int, void* argument) {
  ompt::note_exit_frame(__builtin_frame_address(0));
  const Body& body = *static_cast<Body*>(argument);
  body.function(body.data);
  asm volatile("" ::: "memory"); // no jump instead of the call: a tool finds this frame below the program's
}

struct Arguments {
  GompFunction function;
  void* data;
  GompCopy copy;
  size_t bytes, alignment;
};

/// Gives the task a copy of the data: its first one, or another when its code has run. Objects that are copied are
/// destroyed by the task's code only: where tasks may be discarded it is not once they are copied, and they are not
/// once it is.
void fill(ExplicitTask& task, const Arguments& arguments) {
  Body& body = *static_cast<Body*>(task.body);
  if (arguments.copy) {
    if (program_icvs().cancellation) {
      if (is_discarded(task))
        return;
      task.begun = true;
    }
    arguments.copy(body.data, arguments.data);
  } else if (arguments.bytes != 0)
    memcpy(body.data, arguments.data, arguments.bytes);
}

uint32_t priority_of(unsigned flags, int priority) {
  return (flags & flag_priority) != 0 && priority > 0 ? std::min(uint32_t(priority), program_icvs().max_task_priority)
                                                      : 0;
}

/// A task with room for its own copy of the data.
ExplicitTask& make(Thread& self, const Arguments& arguments, unsigned flags, bool has_event) {
  const size_t alignment = std::max(arguments.alignment, alignof(Body));
  const size_t data_at = (sizeof(Body) + alignment - 1) & ~(alignment - 1);
  TaskRequest request;
  request.function = run;
  request.body_bytes = data_at + arguments.bytes;
  request.body_alignment = alignment;
  request.tied = true; // gcc's untied tasks are never taken apart, so they stay with a thread like others
  request.is_final = (flags & flag_final) != 0;
  request.has_event = has_event;
  ExplicitTask& task = make_task(self, request);
  task.movable = !has_event;
  task.called_untied = (flags & flag_untied) != 0;
  Body& body = *static_cast<Body*>(task.body);
  body.function = arguments.function;
  body.data = static_cast<char*>(task.body) + data_at;
  return task;
}

// Kinds of dependences in an omp_depend_t.
enum : uintptr_t { depend_in = 1, depend_mutexinoutset = 4, depend_inoutset = 5 };

Dependence from_object(void* object) {
  void* const* words = static_cast<void**>(object);
  switch (reinterpret_cast<uintptr_t>(words[1])) {
  case depend_in:
    return {words[0], DependenceKind::In};
  case depend_mutexinoutset:
    return {words[0], DependenceKind::MutexInOutSet};
  case depend_inoutset:
    return {words[0], DependenceKind::InOutSet};
  default:
    return {words[0], DependenceKind::InOut};
  }
}

} // namespace

namespace hetmp::runtime {

std::vector<Dependence> gomp_dependences(void** list) {
  const auto number = [&](size_t i) { return reinterpret_cast<uintptr_t>(list[i]); };
  std::vector<Dependence> items;
  if (number(0) != 0) {
    for (uintptr_t i = 0; i < number(0); i++)
      items.push_back({list[2 + i], i < number(1) ? DependenceKind::InOut : DependenceKind::In});
    return items;
  }
  const uintptr_t all = number(1), writing = number(2), excluding = writing + number(3),
                  reading = excluding + number(4);
  for (uintptr_t i = 0; i < all; i++) {
    void* entry = list[5 + i];
    if (i < writing)
      items.push_back({entry, DependenceKind::InOut});
    else if (i < excluding)
      items.push_back({entry, DependenceKind::MutexInOutSet});
    else if (i < reading)
      items.push_back({entry, DependenceKind::In});
    else
      items.push_back(from_object(entry));
  }
  return items;
}

} // namespace hetmp::runtime

namespace {

/// `caller`: where the construct is.
__attribute__((noinline)) void generate(Thread& self, const Arguments& arguments, bool condition, unsigned flags,
                                        void** depend, int priority, void* detach, const void* caller) {
  const bool has_event = (flags & flag_detach) != 0;
  ExplicitTask& task = make(self, arguments, flags, has_event);
  task.priority = priority_of(flags, priority);
  fill(task, arguments);
  if (has_event) {
    *static_cast<void**>(detach) = &task; // the handle, for the program
    if (arguments.bytes != 0)
      *static_cast<void**>(static_cast<Body*>(task.body)->data) = &task; // and for the task: its data begin with it
  }
  std::vector<Dependence> items;
  if ((flags & flag_depend) != 0)
    items = gomp_dependences(depend);
  ompt::entered(caller, [&] {
    if (condition) {
      submit_task(self, task, std::move(items));
      return;
    }
    if (!items.empty())
      wait_for_dependences(self, std::move(items), false);
    execute_undeferred(self, task);
  });
}

} // namespace

HETMP_ENTRY void GOMP_task(GompFunction function, void* data, GompCopy copy, long bytes, long alignment, bool condition,
                           unsigned flags, void** depend, int priority, void* detach) {
  Thread* const self = known_thread();
  if (!condition && !copy && (flags & (flag_depend | flag_detach)) == 0 && self && may_execute_in_place(*self->task)) {
    execute_in_place(*self, function, data, (flags & flag_final) != 0);
    return;
  }
  generate(current_thread(), {function, data, copy, size_t(bytes), size_t(alignment)}, condition, flags, depend,
           priority, detach, __builtin_return_address(0));
}

HETMP_ENTRY void GOMP_taskwait() {
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { wait_for_children(self); });
}

HETMP_ENTRY void GOMP_taskwait_depend(void** depend) {
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { wait_for_dependences(self, gomp_dependences(depend), false); });
}

HETMP_ENTRY void GOMP_taskyield() {
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { yield_to_task(self); });
}

HETMP_ENTRY void GOMP_taskgroup_start() {
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { begin_taskgroup(self); });
}

HETMP_ENTRY void GOMP_taskgroup_end() {
  Thread& self = current_thread();
  ompt::entered(__builtin_return_address(0), [&] { end_taskgroup(self); });
}

// ---- taskloop

namespace {

/// What the data of a taskloop begin with.
template <class T> struct TaskloopHead {
  T first, end;
  uintptr_t* reductions; ///< with flag_reduction
};

/// Whether there is anything to execute. If not, the caller, which folds the copies, learns from the tables that there
/// are none.
template <class T> bool begin_taskloop(Thread& self, void* data, unsigned flags, uint64_t trips) {
  if (flags & flag_nogroup)
    return trips != 0; // reductions are those of a taskgroup around it
  const auto* head = static_cast<const TaskloopHead<T>*>(data);
  if (trips == 0) {
    if (flags & flag_reduction)
      forget_chunks(head->reductions);
    return false;
  }
  begin_taskgroup(self);
  if (flags & flag_reduction)
    begin_mapped_reductions(self, head->reductions);
  return true;
}

/// From the caller's data, which stay where they are until the taskloop's own taskgroup is over.
template <class T> class GompTaskloop final : public TaskloopSource {
 public:
  GompTaskloop(const Arguments& arguments, unsigned flags, int priority, const GompLoop<T>& loop,
               const TaskloopDivision& division)
      : TaskloopSource(division.tasks, priority_of(flags, priority)), arguments_(arguments), flags_(flags), loop_(loop),
        division_(division), trips_(loop.trips()) {}

  ExplicitTask& make(Thread& self) override { return ::make(self, arguments_, flags_, false); }

  ompt::DispatchChunk chunk(uint64_t number) const override {
    return {uint64_t(loop_.start) + division_.begin(number) * uint64_t(loop_.increment),
            division_.end(number, trips_) - division_.begin(number)};
  }

  void fill(ExplicitTask& task, uint64_t number) override {
    ::fill(task, arguments_);
    auto& head = *static_cast<TaskloopHead<T>*>(static_cast<Body*>(task.body)->data);
    const uint64_t end = division_.end(number, trips_);
    head.first = T(uint64_t(loop_.start) + division_.begin(number) * uint64_t(loop_.increment));
    head.end = T(end == trips_ ? uint64_t(loop_.end) : uint64_t(loop_.start) + end * uint64_t(loop_.increment));
  }

 private:
  const Arguments arguments_;
  const unsigned flags_;
  const GompLoop<T> loop_;
  const TaskloopDivision division_;
  const uint64_t trips_;
};

template <class T>
void taskloop(const Arguments& arguments, unsigned flags, unsigned long value, int priority, const GompLoop<T>& loop) {
  Thread& self = current_thread();
  const uint64_t trips = loop.trips();
  const TaskloopClause clause = value == 0                      ? TaskloopClause::None
                                : (flags & flag_grainsize) != 0 ? TaskloopClause::Grainsize
                                                                : TaskloopClause::NumTasks;
  const TaskloopDivision division =
      divide_taskloop(trips, clause, value, (flags & flag_strict) != 0, local_threads_of(*self.task->team));
  if (!begin_taskloop<T>(self, arguments.data, flags, trips))
    return;
  // A copy function looks at the program's variables, which the last task changes where they are lastprivate as well:
  // it is called for all tasks before that one begins.
  const bool copied_now = (flags & flag_nogroup) != 0 || arguments.copy;
  const TaskloopExecution execution = (flags & flag_if) == 0 ? TaskloopExecution::Undeferred
                                      : copied_now           ? TaskloopExecution::Submitted
                                                             : TaskloopExecution::MadeLate;
  if (ompt::observed()) [[unlikely]]
    ompt::work_begins(ompt::WorkKind::Taskloop, trips);
  generate_taskloop(self, *new GompTaskloop<T>(arguments, flags, priority, loop, division), execution);
  if (ompt::observed()) [[unlikely]]
    ompt::work_ends();
  if ((flags & flag_nogroup) == 0)
    end_taskgroup(self);
}

} // namespace

HETMP_ENTRY void GOMP_taskloop(GompFunction function, void* data, GompCopy copy, long bytes, long alignment,
                               unsigned flags, unsigned long value, int priority, long start, long end, long step) {
  ompt::entered(__builtin_return_address(0), [&] {
    taskloop<long>({function, data, copy, size_t(bytes), size_t(alignment)}, flags, value, priority,
                   {start, end, step});
  });
}

HETMP_ENTRY void GOMP_taskloop_ull(GompFunction function, void* data, GompCopy copy, long bytes, long alignment,
                                   unsigned flags, unsigned long value, int priority, unsigned long long start,
                                   unsigned long long end, unsigned long long step) {
  ompt::entered(__builtin_return_address(0), [&] {
    taskloop<unsigned long long>({function, data, copy, size_t(bytes), size_t(alignment)}, flags, value, priority,
                                 {start, end, step, (flags & flag_up) != 0});
  });
}
