// `teams` on the host: a league of one team. Its initial thread is the calling one.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/core/invoke.hpp"

#include <alloca.h>
#include <cstdarg>

using namespace hetmp::runtime;

/// The number of teams asked for is an upper bound; the thread limit is not needed for one team.
HETMP_ENTRY void __kmpc_push_num_teams(const SourceLocation*, int32_t, int32_t, int32_t) {}

HETMP_ENTRY void __kmpc_push_num_teams_51(const SourceLocation*, int32_t, int32_t, int32_t, int32_t) {}

HETMP_ENTRY void __kmpc_set_thread_limit(const SourceLocation*, int32_t, int32_t) {}

HETMP_ENTRY void __kmpc_fork_teams(const SourceLocation*, int32_t count, void* microtask, ...) {
  void** arguments = static_cast<void**>(alloca(size_t(count > 0 ? count : 1) * sizeof(void*)));
  va_list list;
  va_start(list, microtask);
  for (int32_t i = 0; i < count; i++)
    arguments[i] = va_arg(list, void*);
  va_end(list);
  invoke_microtask(microtask, current_thread().gtid, 0, uint32_t(count), arguments);
}
