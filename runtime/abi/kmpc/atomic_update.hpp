// How the atomic entries change memory: compare-and-exchange where the machine does it in one instruction,
// else the one lock that all longer (or misaligned) operands share.
//
// One lock and not one per type: the same variable may be updated through entries of different families (a
// 16-byte element by __kmpc_atomic_16 in one place, by __kmpc_atomic_start/end in another), and these must
// exclude each other. Compilers emit none of these entries for operands that they can update inline, so the
// lock's traffic does not matter.
//
// Every access is sequentially consistent: on the machines of interest a read-modify-write costs the same
// either way, and a caller that combines an entry with a flush then needs no further reasoning.
#pragma once

#include "runtime/sync/program_locks.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hetmp::runtime {

/// A word that is this process's own; its address, the same in all node processes, is the lock's name between them.
inline FutexLock atomic_lock;

inline void lock_atomics() { program_locks.lock(atomic_lock); }

inline void unlock_atomics() { program_locks.unlock(atomic_lock); }

class AtomicSection {
 public:
  AtomicSection() { lock_atomics(); }
  ~AtomicSection() { unlock_atomics(); }
  AtomicSection(const AtomicSection&) = delete;
  AtomicSection& operator=(const AtomicSection&) = delete;
};

/// The unsigned word of a size: its value, and the word as it lies in the memory of some other type.
template <size_t bytes> struct WordOf;
template <> struct WordOf<1> {
  using Value = uint8_t;
  typedef Value Memory __attribute__((may_alias));
};
template <> struct WordOf<2> {
  using Value = uint16_t;
  typedef Value Memory __attribute__((may_alias));
};
template <> struct WordOf<4> {
  using Value = uint32_t;
  typedef Value Memory __attribute__((may_alias));
};
template <> struct WordOf<8> {
  using Value = uint64_t;
  typedef Value Memory __attribute__((may_alias));
};

template <class T> constexpr bool fits_a_word = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;

/// Whether the word at `place` can be exchanged by one instruction. An element of a packed structure or a
/// complex<float> may start anywhere; its place decides once and for all, so all threads choose alike.
template <class T> bool is_word_aligned(const T* place) {
  return (reinterpret_cast<uintptr_t>(place) & (sizeof(T) - 1)) == 0;
}

template <class To, class From> To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}

template <class T> struct Change {
  T before;
  T after;
};

/// Atomically replaces *place by change(*place).
template <class T, class Function> Change<T> atomic_update(T* place, Function change) {
  if constexpr (fits_a_word<T>) {
    if (is_word_aligned(place)) {
      using Word = WordOf<sizeof(T)>;
      auto* word = reinterpret_cast<typename Word::Memory*>(place);
      typename Word::Value seen = __atomic_load_n(word, __ATOMIC_RELAXED);
      while (true) {
        const T before = same_bits<T>(seen);
        const T after = change(before);
        if (__atomic_compare_exchange_n(word, &seen, same_bits<typename Word::Value>(after), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
          return {before, after};
      }
    }
  }
  AtomicSection section;
  const T before = *place;
  const T after = change(before);
  *place = after;
  return {before, after};
}

template <class T> T atomic_read(const T* place) {
  if constexpr (fits_a_word<T>) {
    if (is_word_aligned(place)) {
      auto* word = reinterpret_cast<const typename WordOf<sizeof(T)>::Memory*>(place);
      typename WordOf<sizeof(T)>::Value seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      return same_bits<T>(seen);
    }
  }
  AtomicSection section;
  return *place;
}

/// Returns the value replaced.
template <class T> T atomic_swap(T* place, T value) {
  return atomic_update(place, [value](T) { return value; }).before;
}

// The operations, by the names of the entries. Integers are computed in 64 bits without sign where that gives
// the same low bits: overflow then wraps, as the machine's instruction would.

template <class T> T op_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <class T> T op_sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) - uint64_t(b));
  else
    return a - b;
}
template <class T> T op_mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}
template <class T> T op_div(T a, T b) { return T(a / b); }
template <class T> T op_andb(T a, T b) { return T(a & b); }
template <class T> T op_orb(T a, T b) { return T(a | b); }
template <class T> T op_xor(T a, T b) { return T(a ^ b); }
template <class T> T op_neqv(T a, T b) { return T(a ^ b); }   ///< Fortran's .neqv.
template <class T> T op_eqv(T a, T b) { return T(~(a ^ b)); } ///< Fortran's .eqv.
template <class T> T op_andl(T a, T b) { return T(a && b); }
template <class T> T op_orl(T a, T b) { return T(a || b); }
template <class T> T op_shl(T a, T b) { return T(a << b); }
template <class T> T op_shr(T a, T b) { return T(a >> b); }
template <class T> T op_min(T a, T b) { return b < a ? b : a; }
template <class T> T op_max(T a, T b) { return a < b ? b : a; }

} // namespace hetmp::runtime
