// The numbers by which libomp's interface names constructs that can be cancelled.
#pragma once

#include "runtime/loops/cancelling.hpp"

namespace hetmp::runtime {

inline Cancelled cancelled_of_kmp(int kind) {
  constexpr Cancelled kinds[] = {Cancelled::Nothing, Cancelled::Parallel, Cancelled::Loop, Cancelled::Sections,
                                 Cancelled::Taskgroup};
  return kind >= 1 && kind <= 4 ? kinds[kind] : Cancelled::Nothing;
}

} // namespace hetmp::runtime
