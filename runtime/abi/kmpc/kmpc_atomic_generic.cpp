// Atomic updates that know only the operand's size: compare-and-swap, updates by a function, start/end around
// anything.
#include "runtime/abi/entry.hpp"
#include "runtime/abi/kmpc/atomic_update.hpp"

#include <cstdint>

namespace hetmp::runtime {
namespace {

/// Computes *result = *left op *right; given by the compiler, compiled for the operand's type.
using Combine = void (*)(void* result, void* left, void* right);

template <class Word> void update_word(void* x, void* e, Combine combine) {
  atomic_update(static_cast<Word*>(x), [=](Word old) {
    Word result;
    combine(&result, &old, e);
    return result;
  });
}

void update_under_lock(void* x, void* e, Combine combine) {
  AtomicSection section;
  combine(x, x, e);
}

/// What was there; x holds `desired` afterwards if that was `expected`.
template <class Word> Word compare_and_swap(Word* x, Word expected, Word desired) {
  return atomic_update(x, [=](Word old) { return old == expected ? desired : old; }).before;
}

} // namespace
} // namespace hetmp::runtime

using namespace hetmp::runtime;

// bool: tells whether x was exchanged; val: returns x's old value.
// With capture, bool stores the old value only when the comparison failed ("else v = x"), val stores x's
// final value.
#define COMPARE_AND_SWAP(bytes, T)                                                                                     \
  HETMP_ENTRY bool __kmpc_atomic_bool_##bytes##_cas(const void*, int, T* x, T expected, T desired) {                   \
    return compare_and_swap(x, expected, desired) == expected;                                                         \
  }                                                                                                                    \
  HETMP_ENTRY T __kmpc_atomic_val_##bytes##_cas(const void*, int, T* x, T expected, T desired) {                       \
    return compare_and_swap(x, expected, desired);                                                                     \
  }                                                                                                                    \
  HETMP_ENTRY bool __kmpc_atomic_bool_##bytes##_cas_cpt(const void*, int, T* x, T expected, T desired, T* captured) {  \
    const T old = compare_and_swap(x, expected, desired);                                                              \
    if (old != expected)                                                                                               \
      *captured = old;                                                                                                 \
    return old == expected;                                                                                            \
  }                                                                                                                    \
  HETMP_ENTRY T __kmpc_atomic_val_##bytes##_cas_cpt(const void*, int, T* x, T expected, T desired, T* captured) {      \
    const T old = compare_and_swap(x, expected, desired);                                                              \
    *captured = old == expected ? desired : old;                                                                       \
    return old;                                                                                                        \
  }

COMPARE_AND_SWAP(1, int8_t)
COMPARE_AND_SWAP(2, int16_t)
COMPARE_AND_SWAP(4, int32_t)
COMPARE_AND_SWAP(8, int64_t)

#define UPDATE_WORD(bytes, Word)                                                                                       \
  HETMP_ENTRY void __kmpc_atomic_##bytes(const void*, int, void* x, void* e, Combine combine) {                        \
    update_word<Word>(x, e, combine);                                                                                  \
  }
#define UPDATE_UNDER_LOCK(bytes)                                                                                       \
  HETMP_ENTRY void __kmpc_atomic_##bytes(const void*, int, void* x, void* e, Combine combine) {                        \
    update_under_lock(x, e, combine);                                                                                  \
  }

UPDATE_WORD(1, uint8_t)
UPDATE_WORD(2, uint16_t)
UPDATE_WORD(4, uint32_t)
UPDATE_WORD(8, uint64_t)
UPDATE_UNDER_LOCK(10)
UPDATE_UNDER_LOCK(16)
UPDATE_UNDER_LOCK(20)
UPDATE_UNDER_LOCK(32)

HETMP_ENTRY void __kmpc_atomic_start() { lock_atomics(); }
HETMP_ENTRY void __kmpc_atomic_end() { unlock_atomics(); }
