#include "dsm/migration/tasks_abroad.hpp"

#include "base/check.hpp"
#include "dsm/guest_tasks.hpp"
#include "dsm/migration/as_host.hpp"

#include <algorithm>

namespace hetmp::dsm {

struct TasksAbroad::StandIns {
  // ---- what stand-ins consist of

  template <class Result, class... Arguments>
  HETMP_IN_PLACE static Result at_home(Function function, Arguments... arguments) {
    const TasksAbroad& tasks = *this_process.tasks;
    return AsHost::at_home<Result>(tasks.come_home_, tasks.originals_[function], arguments...);
  }

  /// Of the caller's, wherever it is.
  HETMP_IN_PLACE static TaskSigns& signs() {
    return *reinterpret_cast<TaskSigns*>(thread_pointer() + uintptr_t(this_process.tasks->signs_at_));
  }
  /// Behind the code of one.
  HETMP_IN_PLACE static void end_task() {
    if (signs().has_settings == 0)
      return;
    this_process.tasks->come_home_();
    this_process.tasks->task_is_over_();
  }

  /// The heap takes longer than a small task does. One after the other needs memory, mostly: so the last few are kept.
  static constexpr size_t kept_bytes = 512;
  HETMP_IN_PLACE static GuestTask* take(Host& host, size_t bytes) {
    GuestTask* const kept = host.kept_tasks;
    if (bytes > kept_bytes || !kept)
      return static_cast<GuestTask*>(AsHost::take(host, bytes > kept_bytes ? bytes : kept_bytes));
    host.kept_tasks = kept->next;
    return kept;
  }
  /// Wherever the caller is by now.
  HETMP_IN_PLACE static void give_back(GuestTask* task) {
    Host* const host = AsHost::of_caller();
    if (!host || task->shareds_at + task->shared_bytes + sizeof *task > kept_bytes)
      return AsHost::give_back(task);
    task->next = host->kept_tasks;
    host->kept_tasks = task;
  }

  /// Where the caller may execute one more task inside of others; null: it may not, or is at home. `bytes` more of its
  /// stack are wanted.
  HETMP_IN_PLACE static Host* host_with_room(size_t bytes = 0) {
    Host* const host = AsHost::of_caller();
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return host && here >= bytes && here - bytes >= host->deepest && signs().has_settings == 0 ? host : nullptr;
  }

  // ---- gcc's

  using GompFunction = void (*)(void* data);
  using GompCopy = void (*)(void* to, void* from);

  /// The program's function destroys what it was given copies of.
  HETMP_STAND_IN static void gomp_task(GompFunction function, void* data, GompCopy copy, long bytes, long alignment,
                                       bool condition, unsigned flags, void** depend, int priority, void* detach) {
    constexpr unsigned untied = 1, mergeable = 4;
    constexpr long most_bytes = 1 << 16;
    const bool is_plain = (flags & ~(untied | mergeable)) == 0 && bytes >= 0 && bytes <= most_bytes && alignment > 0 &&
                          alignment <= most_bytes;
    if (!is_plain || !host_with_room(size_t(bytes) + size_t(alignment)))
      return at_home<void>(GompTask, function, data, copy, bytes, alignment, condition, flags, depend, priority,
                           detach);
    if (!copy) { // whoever generates it leaves the data to it
      function(data);
      return end_task();
    }
    auto* const room = static_cast<char*>(__builtin_alloca(size_t(bytes) + size_t(alignment)));
    char* const own = room + (size_t(alignment) - reinterpret_cast<uintptr_t>(room) % size_t(alignment));
    copy(own, data);
    function(own);
    end_task();
  }

  HETMP_STAND_IN static void gomp_taskyield() {
    if (!AsHost::of_caller())
      at_home<void>(GompTaskyield);
  }

  // ---- clang's

  HETMP_STAND_IN static void* kmpc_task_alloc(const void* location, int32_t gtid, int32_t flags, size_t task_bytes,
                                              size_t shared_bytes, int32_t (*routine)(int32_t, void*)) {
    constexpr int32_t tied = 1;
    constexpr size_t most_bytes = size_t(1) << 30;
    Host* const host = host_with_room();
    GuestTask* task = nullptr;
    const size_t shareds_at = (task_bytes + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
    if (host && (flags & ~tied) == 0 && task_bytes >= sizeof(GuestTaskBody) && task_bytes < most_bytes &&
        shared_bytes < most_bytes)
      task = take(*host, sizeof(GuestTask) + shareds_at + shared_bytes);
    if (!task)
      return at_home<void*>(KmpcTaskAlloc, location, gtid, flags, task_bytes, shared_bytes, routine);
    task->task_bytes = task_bytes;
    task->shared_bytes = uint32_t(shared_bytes);
    task->shareds_at = uint32_t(shareds_at);
    task->tied = (flags & tied) != 0;
    task->runs = task->part_follows = false;
    task->mark = GuestTask::is_one;
    auto* const body = static_cast<GuestTaskBody*>(task->body());
    body->shareds = shared_bytes != 0 ? reinterpret_cast<char*>(body) + shareds_at : nullptr;
    body->routine = routine;
    body->part = body->more[0] = body->more[1] = 0;
    return body;
  }

  HETMP_STAND_IN static int32_t kmpc_task(const void* location, int32_t gtid, void* body) {
    if (next_part_follows(&signs(), body))
      return 0;
    if (!is_guest_task(body) || !host_with_room())
      return at_home<int32_t>(KmpcTask, location, gtid, body);
    GuestTask::of(body)->runs = true;
    static_cast<GuestTaskBody*>(body)->routine(gtid, body);
    execute_further_parts(gtid, body);
    end_task();
    give_back(GuestTask::of(body));
    return 0;
  }

  /// The program calls the routine itself, between these two.
  HETMP_STAND_IN static void kmpc_task_begins_if0(const void* location, int32_t gtid, void* body) {
    if (!is_guest_task(body))
      return at_home<void>(KmpcTaskBeginsIf0, location, gtid, body);
    GuestTask::of(body)->runs = true;
  }
  HETMP_STAND_IN static void kmpc_task_ends_if0(const void* location, int32_t gtid, void* body) {
    if (!is_guest_task(body))
      return at_home<void>(KmpcTaskEndsIf0, location, gtid, body);
    execute_further_parts(gtid, body);
    end_task();
    give_back(GuestTask::of(body));
  }

  HETMP_STAND_IN static int32_t kmpc_taskyield(const void* location, int32_t gtid, int end_part) {
    return AsHost::of_caller() ? 0 : at_home<int32_t>(KmpcTaskyield, location, gtid, end_part);
  }
};

uintptr_t TasksAbroad::stand_in(std::string_view name, uintptr_t function) {
  const StandIn all[functions] = {
      {"GOMP_task", StandIns::gomp_task},
      {"GOMP_taskyield", StandIns::gomp_taskyield},
      {"__kmpc_omp_task_alloc", StandIns::kmpc_task_alloc},
      {"__kmpc_omp_task", StandIns::kmpc_task},
      {"__kmpc_omp_task_begin_if0", StandIns::kmpc_task_begins_if0},
      {"__kmpc_omp_task_complete_if0", StandIns::kmpc_task_ends_if0},
      {"__kmpc_omp_taskyield", StandIns::kmpc_taskyield},
  };
  const uintptr_t found = keep_original(all, name, function, originals_);
  HETMP_CHECK(found == 0 || this_process.tasks == this);
  return found;
}

} // namespace hetmp::dsm
