// What decides where the kernel puts the mappings of a program that is executed: the limit of its stack, and its
// personality.
#pragma once

#include <cstdint>

namespace hetmp {

struct AddressLayout {
  static constexpr uint64_t unlimited = ~uint64_t(0); ///< RLIM_INFINITY
  static constexpr unsigned unknown = 0xffffffff;     ///< personality(2) is refused

  uint64_t stack_bytes = unlimited; ///< soft limit of the stack
  unsigned personality = unknown;   ///< as personality(2) has it

  bool operator==(const AddressLayout&) const = default;
};

/// The stack's limit where one is needed and the user has set none.
inline constexpr uint64_t usual_stack_bytes = uint64_t(8) << 20;

/// Of this process.
AddressLayout address_layout();

/// With which the kernel puts libraries at the upper end, downwards, as nodes need it: nothing then comes near the
/// range that they share, and what comes later comes below. `layout` itself where that is so already.
AddressLayout downwards(AddressLayout layout);

/// Of this process, for the programs that it will execute and, as far as the limit goes, for its stack. False, with
/// errno, if the kernel refuses any of it.
bool set_address_layout(const AddressLayout& layout);

} // namespace hetmp
