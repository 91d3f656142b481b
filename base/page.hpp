// The page: the unit in which nodes share memory, and the kernel's on the processors hetmp runs on. The only place that
// says how large it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp {

inline constexpr uint32_t page_shift = 12;
inline constexpr size_t page_bytes = size_t(1) << page_shift;

/// Where the page begins that holds the address.
constexpr uintptr_t page_down(uintptr_t address) { return address & ~(page_bytes - 1); }
/// The address itself if a page begins there, otherwise where the next one does.
constexpr uintptr_t page_up(uintptr_t address) { return page_down(address + page_bytes - 1); }

} // namespace hetmp
