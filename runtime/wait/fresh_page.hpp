// Running something on a page of the stack that holds nothing of the callers.
//
// What a caller's page holds may be read by other nodes meanwhile: shared variables of a region, copies for a
// reduction. Were the frames of what goes on in one page with it, each of their writes would take the page away from
// the readers.
#pragma once

#include "base/page.hpp"

#include <alloca.h>
#include <cstddef>
#include <cstdint>

namespace hetmp::runtime {

template <class Body> __attribute__((noinline)) void on_fresh_page(const Body& body) {
  const size_t used_of_page = page_bytes - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) % page_bytes;
  // From the frame's address down to below the page it lies in; the rest of this frame is small compared with a page.
  auto* gap = static_cast<volatile char*>(alloca(2 * page_bytes - used_of_page));
  gap[0] = 0; // keeps the allocation
  body();
}

} // namespace hetmp::runtime
