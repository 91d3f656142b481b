// libomp's kmp_task_t: what a compiler knows of a task, followed by copies of variables and by pointers to shared ones.
#pragma once

#include "runtime/tasking/execution.hpp"

#include <cstdint>

struct KmpTask;
using KmpTaskRoutine = int32_t (*)(int32_t gtid, KmpTask* task);

struct KmpTask {
  void* shareds;
  KmpTaskRoutine routine;
  int32_t part; ///< of an untied task: the next one
  union {
    int32_t priority;
    KmpTaskRoutine destructors;
  } first, second; ///< destructors come in the first one, a priority in the second
};

namespace hetmp::runtime {

// Bits of the flags of __kmpc_omp_task_alloc.
inline constexpr int32_t task_tied = 0x1;
inline constexpr int32_t task_final = 0x2;
inline constexpr int32_t task_has_destructors = 0x8;
inline constexpr int32_t task_proxy = 0x10; ///< completed by __kmpc_proxy_task_completed
inline constexpr int32_t task_has_priority = 0x20;
inline constexpr int32_t task_detachable = 0x40;

/// A task whose body is a KmpTask of `task_bytes`, followed by `shared_bytes` that its `shareds` points to (null if 0).
KmpTask* make_kmp_task(Thread& self, int32_t flags, size_t task_bytes, size_t shared_bytes, KmpTaskRoutine routine);

/// Another task of the same kind, with room for a copy of the body.
ExplicitTask& make_kmp_task_like(Thread& self, const KmpTask* pattern);

/// Makes `task`, made like `pattern`, what that is now, whatever has become of it since.
void copy_kmp_task(KmpTask* task, const KmpTask* pattern);

/// The same task as one of the runtime's, where its thread has made it while it was on another node and has come home
/// since (dsm/guest_tasks.hpp).
KmpTask* adopted(Thread& self, KmpTask* task);

/// Passes on what the compiler has put into the body since: the priority.
ExplicitTask& ready_kmp_task(KmpTask* task);

} // namespace hetmp::runtime
