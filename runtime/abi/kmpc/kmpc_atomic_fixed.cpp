// Atomic updates of integers of 1, 2, 4 and 8 bytes. Signed and unsigned differ in division and right shift
// only.
#include "runtime/abi/kmpc/atomic_entries.hpp"

#include <cstdint>

#define FIXED(type, T)                                                                                                 \
  HETMP_ATOMIC_OP(type, T, add)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, sub)                                                                              \
  HETMP_ATOMIC_OP(type, T, mul)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, div)                                                                              \
  HETMP_ATOMIC_OP(type, T, andb)                                                                                       \
  HETMP_ATOMIC_OP(type, T, orb)                                                                                        \
  HETMP_ATOMIC_OP(type, T, xor)                                                                                        \
  HETMP_ATOMIC_OP(type, T, andl)                                                                                       \
  HETMP_ATOMIC_OP(type, T, orl)                                                                                        \
  HETMP_ATOMIC_OP(type, T, eqv)                                                                                        \
  HETMP_ATOMIC_OP(type, T, neqv)                                                                                       \
  HETMP_ATOMIC_OP(type, T, min)                                                                                        \
  HETMP_ATOMIC_OP(type, T, max)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, shl)                                                                              \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, shr)                                                                              \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, mul, float8, double)                                                              \
  HETMP_ATOMIC_UPDATE_MIXED(type, T, div, float8, double)                                                              \
  HETMP_ATOMIC_READ(type, T)                                                                                           \
  HETMP_ATOMIC_WRITE(type, T)                                                                                          \
  HETMP_ATOMIC_SWAP(type, T)

#define FIXED_UNSIGNED(type, T)                                                                                        \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, div)                                                                              \
  HETMP_ATOMIC_OP_BOTH_WAYS(type, T, shr)

FIXED(fixed1, int8_t)
FIXED(fixed2, int16_t)
FIXED(fixed4, int32_t)
FIXED(fixed8, int64_t)
FIXED_UNSIGNED(fixed1u, uint8_t)
FIXED_UNSIGNED(fixed2u, uint16_t)
FIXED_UNSIGNED(fixed4u, uint32_t)
FIXED_UNSIGNED(fixed8u, uint64_t)
