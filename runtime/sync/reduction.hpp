// Reductions: each thread has private copies; together they are folded into the shared variables.
#pragma once

#include "runtime/sync/critical.hpp"

#include <string_view>

namespace hetmp::runtime {

struct ImplicitTask;

struct ReductionRequest {
  bool atomic_possible = false; ///< the compiler has emitted atomic updates as well
  bool waits = false;           ///< the construct ends with a barrier
  uint32_t variables = 0;
  void* data = nullptr; ///< the thread's private copies: a pointer to each
  void (*combine)(void* into, void* from) = nullptr;
  CriticalName* lock = nullptr;
  const void* site = nullptr; ///< in the program, the same for all threads
};

/// What the thread must do with its copies, by the ABI's values.
enum class ReductionAnswer : int {
  Nothing = 0, ///< they are taken care of
  Fold = 1,    ///< fold them into the shared variables with ordinary operations, then end_reduction()
  Atomic = 2,  ///< fold them with atomic operations; then end_reduction() if the construct waits
};

/// All threads of the team meet it.
ReductionAnswer begin_reduction(ImplicitTask& task, const ReductionRequest& request);
/// The same, if no more is to be done than to choose ReductionAnswer::Atomic; false: it is not.
bool begin_atomic_reduction(ImplicitTask& task, const ReductionRequest& request);
/// Of one that waits, by another thread in the name of the task's: see team_barrier_by_other().
bool end_atomic_reduction_by_other(ImplicitTask& task);
void end_reduction(ImplicitTask& task, bool waits, CriticalName* lock);

/// Reads KMP_FORCE_REDUCTION (critical, atomic, tree) and KMP_DETERMINISTIC_REDUCTION.
void read_reduction_settings();
/// The method that they force, in KMP_FORCE_REDUCTION's words; empty: the runtime chooses.
std::string_view forced_reduction_name();

} // namespace hetmp::runtime
