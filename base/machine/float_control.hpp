// How a thread computes with floating-point numbers: rounding, what becomes of denormals, which exceptions interrupt.
// Each thread has its own registers for that, and one that exists already does not hear of what another one sets.
#pragma once

#include <cstdint>
#include <immintrin.h>

namespace hetmp {

/// The control word of SSE, without its status bits, and above it that of the x87, as compilers set them for
/// -ffast-math, and fesetround() and feenableexcept() do.
using FloatControl = uint64_t;

namespace float_control {

inline constexpr uint32_t status_bits = 0x3f; ///< of MXCSR: what has happened
inline constexpr uint32_t defined_bits = 0xffff;
inline constexpr unsigned x87_shift = 32;

/// Whether the processor takes it: other bits would be an error.
constexpr bool is_valid(FloatControl control) {
  constexpr FloatControl defined = (defined_bits & ~status_bits) | FloatControl(0xffff) << x87_shift;
  return (control & ~defined) == 0;
}

/// The calling thread's.
inline FloatControl get() {
  uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & defined_bits & ~status_bits) | FloatControl(x87) << x87_shift;
}

/// What has happened so far stays known.
inline void set(FloatControl wanted) {
  const FloatControl now = get();
  if (now == wanted) [[likely]]
    return;
  if (uint32_t(now) != uint32_t(wanted))
    _mm_setcsr(uint32_t(wanted) | (_mm_getcsr() & status_bits));
  if (now >> x87_shift != wanted >> x87_shift) {
    const auto x87 = uint16_t(wanted >> x87_shift);
    asm volatile("fnclex\n\tfldcw %0" : : "m"(x87)); // an exception of before would interrupt now
  }
}

} // namespace float_control
} // namespace hetmp
