// Macros that define families of __kmpc_atomic_* entries from the templates of atomic_update.hpp. Every entry
// takes the construct's source location and the thread's number first and needs neither.
//   *_x        x = x op e                         *_x_rev      x = e op x
//   *_x_cpt    the same, and returns x's new value if `flag` is set, else the old one; also with _rev
#pragma once

#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/atomic_update.hpp"

#define HETMP_ATOMIC_UPDATE(type, T, op)                                                                               \
  HETMP_ENTRY void __kmpc_atomic_##type##_##op(const void*, int, T* x, T e) {                                          \
    hetmp::runtime::atomic_update(x, [e](T old) { return hetmp::runtime::op_##op<T>(old, e); });                       \
  }

#define HETMP_ATOMIC_UPDATE_REVERSED(type, T, op)                                                                      \
  HETMP_ENTRY void __kmpc_atomic_##type##_##op##_rev(const void*, int, T* x, T e) {                                    \
    hetmp::runtime::atomic_update(x, [e](T old) { return hetmp::runtime::op_##op<T>(e, old); });                       \
  }

#define HETMP_ATOMIC_CAPTURE(type, T, op)                                                                              \
  HETMP_ENTRY T __kmpc_atomic_##type##_##op##_cpt(const void*, int, T* x, T e, int flag) {                             \
    const auto change = hetmp::runtime::atomic_update(x, [e](T old) { return hetmp::runtime::op_##op<T>(old, e); });   \
    return flag ? change.after : change.before;                                                                        \
  }

#define HETMP_ATOMIC_CAPTURE_REVERSED(type, T, op)                                                                     \
  HETMP_ENTRY T __kmpc_atomic_##type##_##op##_cpt_rev(const void*, int, T* x, T e, int flag) {                         \
    const auto change = hetmp::runtime::atomic_update(x, [e](T old) { return hetmp::runtime::op_##op<T>(e, old); });   \
    return flag ? change.after : change.before;                                                                        \
  }

/// The operand e is of a wider type W: the operation is done in W.
#define HETMP_ATOMIC_UPDATE_MIXED(type, T, op, wide, W)                                                                \
  HETMP_ENTRY void __kmpc_atomic_##type##_##op##_##wide(const void*, int, T* x, W e) {                                 \
    hetmp::runtime::atomic_update(x, [e](T old) { return T(hetmp::runtime::op_##op<W>(W(old), e)); });                 \
  }

/// x op= e and its capture.
#define HETMP_ATOMIC_OP(type, T, op)                                                                                   \
  HETMP_ATOMIC_UPDATE(type, T, op)                                                                                     \
  HETMP_ATOMIC_CAPTURE(type, T, op)

/// For operations where the order of the operands matters.
#define HETMP_ATOMIC_OP_BOTH_WAYS(type, T, op)                                                                         \
  HETMP_ATOMIC_OP(type, T, op)                                                                                         \
  HETMP_ATOMIC_UPDATE_REVERSED(type, T, op)                                                                            \
  HETMP_ATOMIC_CAPTURE_REVERSED(type, T, op)

#define HETMP_ATOMIC_READ(type, T)                                                                                     \
  HETMP_ENTRY T __kmpc_atomic_##type##_rd(const void*, int, T* x) { return hetmp::runtime::atomic_read(x); }

#define HETMP_ATOMIC_WRITE(type, T)                                                                                    \
  HETMP_ENTRY void __kmpc_atomic_##type##_wr(const void*, int, T* x, T e) { hetmp::runtime::atomic_swap(x, e); }

#define HETMP_ATOMIC_SWAP(type, T)                                                                                     \
  HETMP_ENTRY T __kmpc_atomic_##type##_swp(const void*, int, T* x, T e) { return hetmp::runtime::atomic_swap(x, e); }
