// Cancellation. It is off unless OMP_CANCELLATION=true; then it would have to be carried out, which is not done yet.
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/core/barrier.hpp"

using namespace hetmp::runtime;

namespace {
constexpr int exit_code_not_implemented = 70; // EX_SOFTWARE of sysexits.h
}

/// Whether the construct was cancelled: never, with cancel-var false.
HETMP_ENTRY int32_t __kmpc_cancel(const SourceLocation*, int32_t, int32_t) {
  if (program_icvs().cancellation)
    hetmp::die(exit_code_not_implemented, "cancellation is not implemented yet; run without OMP_CANCELLATION=true");
  return 0;
}

HETMP_ENTRY int32_t __kmpc_cancellationpoint(const SourceLocation*, int32_t, int32_t) {
  return 0;
}

HETMP_ENTRY int32_t __kmpc_cancel_barrier(const SourceLocation*, int32_t gtid) {
  team_barrier(task_of(gtid));
  return 0;
}

// gcc's names.

HETMP_ENTRY bool GOMP_cancel(int construct, bool) {
  return __kmpc_cancel(nullptr, 0, construct) != 0;
}

HETMP_ENTRY bool GOMP_cancellation_point(int) {
  return false;
}

HETMP_ENTRY bool GOMP_barrier_cancel() {
  team_barrier(current_task());
  return false;
}
