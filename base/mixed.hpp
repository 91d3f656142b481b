// Numbers that look drawn and are the same on every machine.
#pragma once

#include <cstdint>

namespace hetmp {

/// A well mixed number from a seed and a position (the finaliser of splitmix64).
constexpr uint64_t mixed(uint64_t seed, uint64_t position) {
  uint64_t value = seed + (position + 1) * 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

} // namespace hetmp
