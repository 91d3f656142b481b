// How processes name code to each other.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace hetmp {

/// A place in a program's code: a loaded object, by what its file is, and the bytes from the object's beginning. It
/// means the same wherever the same objects are loaded, at whatever addresses. CodeMap (code_map.hpp) knows what it
/// names in this process.
struct CodeId {
  /// Set in `object`: the code lies in memory that all nodes have at one address, whose upper half is the rest. What is
  /// loaded while the program runs lies there, and what the program writes itself.
  static constexpr uint32_t shared_memory = 0x80000000;

  uint32_t object = 0; ///< 0: no code
  uint32_t offset = 0;

  static constexpr CodeId in_shared_memory(uintptr_t address) {
    return {shared_memory | uint32_t(address >> 32), uint32_t(address)};
  }
  constexpr bool is_in_shared_memory() const { return (object & shared_memory) != 0; }
  /// Of one in shared memory.
  constexpr uintptr_t shared_address() const { return uintptr_t(object & ~shared_memory) << 32 | offset; }

  constexpr explicit operator bool() const { return object != 0; }
  constexpr auto operator<=>(const CodeId&) const = default;
};
static_assert(std::is_trivially_copyable_v<CodeId> && sizeof(CodeId) == sizeof(uint64_t));

} // namespace hetmp
