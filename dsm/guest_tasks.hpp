// Tasks that a thread executes on another node, as the runtime and the DSM both know them.
//
// Those that clang's code generates there: what their memory looks like. The thread executes such a task there at once
// (dsm/migration/tasks_abroad.hpp), but it may be called home when it has made one and not yet submitted it; then the
// runtime finds it among its own.
//
// clang makes an untied task of *parts*: at each point where it may be suspended its code submits the task once more
// and returns, and the next part follows when the task is executed again. Of one that is executed as a part of a
// journey, or that was begun elsewhere, each part follows at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

/// In front of the task's body, which is what compilers know. A body of the runtime's own has a pointer there.
struct alignas(16) GuestTask {
  static constexpr uintptr_t is_one = 1; ///< no pointer

  union {
    size_t task_bytes; ///< of the body, without what follows it: variables that are shared
    GuestTask* next;   ///< of those that are kept for later
  };
  uint32_t shared_bytes;
  uint32_t shareds_at; ///< where those begin, from the body on
  bool tied;
  bool runs;         ///< its code has begun, so that others may know its body's address
  bool part_follows; ///< untied, and has been submitted once more since
  uintptr_t mark;

  void* body() { return this + 1; }
  static GuestTask* of(void* body) { return static_cast<GuestTask*>(body) - 1; }
};
static_assert(sizeof(GuestTask) == 32 && offsetof(GuestTask, mark) == sizeof(GuestTask) - sizeof(uintptr_t));

/// What a body begins with, libomp's kmp_task_t.
struct GuestTaskBody {
  void* shareds;
  int32_t (*routine)(int32_t gtid, void* task);
  uint64_t part;
  uint64_t more[2];
};

/// Of a thread that travels: what it tells of the task whose code it executes as a part of a journey, wherever it is.
/// In its own memory.
struct TaskSigns {
  volatile char has_settings = 0;          ///< that has set something for itself
  volatile char part_follows = 0;          ///< `in_parts` has been submitted once more
  const void* volatile in_parts = nullptr; ///< the body, if it is an untied one of clang's
};

inline __attribute__((always_inline)) bool is_guest_task(const void* body) {
  return static_cast<const uintptr_t*>(body)[-1] == GuestTask::is_one;
}

/// Whether a task that is submitted is one of parts, and its next one follows where it was begun, which is told so.
/// `signs`: of the calling thread; null: it is on no journey.
inline __attribute__((always_inline)) bool next_part_follows(TaskSigns* signs, void* body) {
  if (signs && signs->in_parts == body) {
    signs->part_follows = 1;
    return true;
  }
  if (!is_guest_task(body) || !GuestTask::of(body)->runs)
    return false;
  GuestTask::of(body)->part_follows = true;
  return true;
}

/// Of a guest's task, behind its first part.
inline __attribute__((always_inline)) void execute_further_parts(int32_t gtid, void* body) {
  while (GuestTask::of(body)->part_follows) {
    GuestTask::of(body)->part_follows = false;
    static_cast<GuestTaskBody*>(body)->routine(gtid, body);
  }
}

} // namespace hetmp::dsm
