// Doacross loops, as clang asks for them.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/abi/told_loops.hpp"
#include "runtime/loops/doacross.hpp"
#include "runtime/team/implicit_task.hpp"

using namespace hetmp::runtime;

/// `dimensions` is libomp's kmp_dim, which DoacrossDimension is laid out like.
HETMP_ENTRY void __kmpc_doacross_init(const SourceLocation*, int32_t gtid, int32_t count,
                                      const DoacrossDimension* dimensions) {
  begin_doacross(task_of(gtid), dimensions, uint32_t(count));
}

HETMP_ENTRY void __kmpc_doacross_wait(const SourceLocation*, int32_t gtid, const int64_t* values) {
  ImplicitTask& task = task_of(gtid);
  if (wait_for_iteration(task, values) && ompt::observed()) [[unlikely]]
    tell_doacross(__builtin_return_address(0), values, task.doacross.dimensions.size(), ompt::depends_sink);
}

HETMP_ENTRY void __kmpc_doacross_post(const SourceLocation*, int32_t gtid, const int64_t* values) {
  ImplicitTask& task = task_of(gtid);
  if (post_iteration(task, values) && ompt::observed()) [[unlikely]]
    tell_doacross(__builtin_return_address(0), values, task.doacross.dimensions.size(), ompt::depends_source);
}

HETMP_ENTRY void __kmpc_doacross_fini(const SourceLocation*, int32_t gtid) { end_doacross(task_of(gtid)); }
