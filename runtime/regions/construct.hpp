// A parallel construct, as whoever meets it hands it over.
#pragma once

#include "runtime/process/invoke.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// A parallel construct as the compiler hands it over; `arguments` need not stay when the region has begun.
struct Construct {
  const void* source; ///< ident_t, may be null
  void* microtask;    ///< the outlined function
  uint32_t count;     ///< of its arguments
  void* const* arguments;
  Invoker invoke;
};

} // namespace hetmp::runtime
