// Reductions.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/ompt/events.hpp"
#include "runtime/sync/reduction.hpp"

using namespace hetmp::runtime;

namespace {

int32_t reduce(const SourceLocation* location, int32_t gtid, int32_t variables, void* data,
               void (*combine)(void*, void*), CriticalName* lock, bool waits, const void* site) {
  return ompt::entered(
      site,
      [&] {
        return int32_t(begin_reduction(
            task_of(gtid), {has_atomic_reduction(location), waits, uint32_t(variables), data, combine, lock, site}));
      },
      ompt::SyncKind::BarrierImplementation);
}

} // namespace

HETMP_ENTRY int32_t __kmpc_reduce_nowait(const SourceLocation* location, int32_t gtid, int32_t variables, size_t,
                                         void* data, void (*combine)(void*, void*), CriticalName* lock) {
  return reduce(location, gtid, variables, data, combine, lock, false, __builtin_return_address(0));
}

HETMP_ENTRY void __kmpc_end_reduce_nowait(const SourceLocation*, int32_t gtid, CriticalName* lock) {
  ompt::entered(__builtin_return_address(0), [&] { end_reduction(task_of(gtid), false, lock); });
}

HETMP_ENTRY int32_t __kmpc_reduce(const SourceLocation* location, int32_t gtid, int32_t variables, size_t, void* data,
                                  void (*combine)(void*, void*), CriticalName* lock) {
  return reduce(location, gtid, variables, data, combine, lock, true, __builtin_return_address(0));
}

HETMP_ENTRY void __kmpc_end_reduce(const SourceLocation*, int32_t gtid, CriticalName* lock) {
  ompt::entered(__builtin_return_address(0), [&] { end_reduction(task_of(gtid), true, lock); });
}
