// Atomic updates of real and complex numbers. The C types, not std::complex: the two are returned in
// different registers (long double _Complex on x86-64).
#include "runtime/abi/kmpc/atomic_entries.hpp"

__extension__ typedef float _Complex Complex4;
__extension__ typedef double _Complex Complex8;
__extension__ typedef long double _Complex Complex10;

#define ARITHMETIC(type, T)                                                                                            \
  HETMP_ATOMIC_OP(type, T, add)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, sub)                                                                              \
  HETMP_ATOMIC_OP(type, T, mul)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, div)                                                                              \
  HETMP_ATOMIC_READ(type, T)                                                                                           \
  HETMP_ATOMIC_WRITE(type, T)                                                                                          \
  HETMP_ATOMIC_SWAP(type, T)

#define MIXED_ARITHMETIC(type, T, wide, W)                                                                             \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, add, wide, W)                                                                     \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, sub, wide, W)                                                                     \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, mul, wide, W)                                                                     \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, div, wide, W)

#define REAL(type, T)                                                                                                  \
  ARITHMETIC(type, T)                                                                                                  \
  HETMP_ATOMIC_OP(type, T, min)                                                                                        \
  HETMP_ATOMIC_OP(type, T, max)

REAL(float4, float)
REAL(float8, double)
REAL(float10, long double)
MIXED_ARITHMETIC(float4, float, float8, double)

ARITHMETIC(cmplx8, Complex8)
ARITHMETIC(cmplx10, Complex10)

// float _Complex returns what it captures through an argument. Old compilers disagreed on where to return
// eight bytes of complex; the entries were defined around them.

#define COMPLEX4_CAPTURE(name, first, second, op)                                                                      \
  HETMP_ENTRY void __kmpc_atomic_cmplx4_##name(const void*, int, Complex4* x, Complex4 e, Complex4* captured,          \
                                               int flag) {                                                             \
    const auto change = hetmp::runtime::atomic_update(                                                                 \
        x, [e](Complex4 old) { return hetmp::runtime::op_##op<Complex4>(first, second); });                            \
    *captured = flag ? change.after : change.before;                                                                   \
  }

HETMP_ATOMIC_UPDATE(cmplx4, Complex4, add)
HETMP_ATOMIC_UPDATE(cmplx4, Complex4, sub)
HETMP_ATOMIC_UPDATE(cmplx4, Complex4, mul)
HETMP_ATOMIC_UPDATE(cmplx4, Complex4, div)
HETMP_ATOMIC_UPDATE_REVERSED(cmplx4, Complex4, sub)
HETMP_ATOMIC_UPDATE_REVERSED(cmplx4, Complex4, div)
MIXED_ARITHMETIC(cmplx4, Complex4, cmplx8, Complex8)
HETMP_ATOMIC_READ(cmplx4, Complex4)
HETMP_ATOMIC_WRITE(cmplx4, Complex4)
COMPLEX4_CAPTURE(add_cpt, old, e, add)
COMPLEX4_CAPTURE(sub_cpt, old, e, sub)
COMPLEX4_CAPTURE(mul_cpt, old, e, mul)
COMPLEX4_CAPTURE(div_cpt, old, e, div)
COMPLEX4_CAPTURE(sub_cpt_rev, e, old, sub)
COMPLEX4_CAPTURE(div_cpt_rev, e, old, div)

HETMP_ENTRY void __kmpc_atomic_cmplx4_swp(const void*, int, Complex4* x, Complex4 e, Complex4* captured) {
  *captured = hetmp::runtime::atomic_swap(x, e);
}
