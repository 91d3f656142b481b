// Doacross loops, as clang asks for them.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/loops/doacross.hpp"

using namespace hetmp::runtime;

/// `dimensions` is libomp's kmp_dim, which DoacrossDimension is laid out like.
HETMP_ENTRY void __kmpc_doacross_init(const SourceLocation*, int32_t gtid, int32_t count,
                                      const DoacrossDimension* dimensions) {
  begin_doacross(task_of(gtid), dimensions, uint32_t(count));
}

HETMP_ENTRY void __kmpc_doacross_wait(const SourceLocation*, int32_t gtid, const int64_t* values) {
  wait_for_iteration(task_of(gtid), values);
}

HETMP_ENTRY void __kmpc_doacross_post(const SourceLocation*, int32_t gtid, const int64_t* values) {
  post_iteration(task_of(gtid), values);
}

HETMP_ENTRY void __kmpc_doacross_fini(const SourceLocation*, int32_t gtid) { end_doacross(task_of(gtid)); }
