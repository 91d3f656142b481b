// Which pages a thread that changes its node touches first there: to be fetched together instead of one fault after the
// other. Pure.
#pragma once

#include "base/page.hpp"
#include "dsm/fabric.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

struct TravellersPages {
  static constexpr size_t below_room = 2; ///< pages of the functions in hand, which lie below its context's room

  /// Addresses of pages, some perhaps twice; 0 instead of one that is not the stack's.
  std::array<uintptr_t, below_room + 4> addresses{};

  /// `room`: of its context. `thread_pointer` and `flag` (an address): its own variables lie there. `guard`: the page
  /// below its stack.
  constexpr TravellersPages(uintptr_t room, uintptr_t thread_pointer, uintptr_t flag, uintptr_t guard)
      : addresses{page_down(room), page_down(room + context_room - 1), page_down(thread_pointer), page_down(flag)} {
    for (size_t i = 0; i < below_room; ++i) {
      const uintptr_t below = page_down(room) - (i + 1) * page_bytes;
      addresses[addresses.size() - 1 - i] = below > guard && below < room ? below : 0;
    }
  }
};

} // namespace hetmp::dsm
