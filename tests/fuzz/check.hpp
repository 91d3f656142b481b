// What targets find wrong by themselves, besides the sanitizers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hetmp::fuzz {

/// Ends the fuzzer, which keeps the input.
inline void check(bool right, const char* what = "a property does not hold") {
  if (right)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A number that another input hardly has (FNV-1a).
inline uint64_t number_of(const uint8_t* data, size_t size) {
  uint64_t number = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    number = (number ^ data[i]) * 0x100000001b3;
  return number;
}

} // namespace hetmp::fuzz
