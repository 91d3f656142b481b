// Tasks that clang's code generates while its thread is executed on another node: what their memory looks like. The
// thread executes such a task there at once (dsm/migration/tasks_abroad.hpp), but it may be called home when it
// has made one and not yet submitted it; then the runtime finds it among its own.
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
  size_t shared_bytes;
  size_t shareds_at; ///< where those begin, from the body on
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

inline __attribute__((always_inline)) bool is_guest_task(const void* body) {
  return static_cast<const uintptr_t*>(body)[-1] == GuestTask::is_one;
}

} // namespace hetmp::dsm
