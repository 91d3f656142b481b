// A parallel construct, as whoever meets it hands it over.
#pragma once

#include "runtime/process/invoke.hpp"

#include <cstdint>

namespace hetmp::runtime {

namespace ompt {
struct RegionRecord;
}

/// A parallel construct as the compiler hands it over; `arguments` need not stay when the region has begun.
struct Construct {
  const void* source; ///< ident_t, may be null
  void* microtask;    ///< the outlined function
  uint32_t count;     ///< of its arguments
  void* const* arguments;
  Invoker invoke;
  ompt::RegionRecord* observed = nullptr; ///< for a tool (OMPT); null: there is none
};

} // namespace hetmp::runtime
