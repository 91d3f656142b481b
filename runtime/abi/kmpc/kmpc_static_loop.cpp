// Loops with a static schedule: the compiler asks for its thread's share once and runs it by itself.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/kmp_static_loop.hpp"

#define HETMP_STATIC_INIT(suffix, type, signed_type)                                                                   \
  HETMP_ENTRY void __kmpc_for_static_init_##suffix(const SourceLocation* location, int32_t gtid, int32_t schedule,     \
                                                   int32_t* last, type* lower, type* upper, signed_type* stride,       \
                                                   signed_type increment, signed_type chunk) {                         \
    hetmp::runtime::divide_static_loop<type>({last, lower, upper, stride, increment, chunk}, gtid, schedule, location, \
                                             __builtin_return_address(0));                                             \
  }

HETMP_STATIC_INIT(4, int32_t, int32_t)
HETMP_STATIC_INIT(4u, uint32_t, int32_t)
HETMP_STATIC_INIT(8, int64_t, int64_t)
HETMP_STATIC_INIT(8u, uint64_t, int64_t)

HETMP_ENTRY void __kmpc_for_static_fini(const SourceLocation*, int32_t gtid) {
  hetmp::runtime::end_static_loop(hetmp::runtime::task_of(gtid));
}
