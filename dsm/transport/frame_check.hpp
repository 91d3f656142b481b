// What tells that a frame has come as it was sent: for streams that nothing else protects. Against accidents; whoever
// changes bytes on purpose can change these, too (encrypted runs have more than this).
#pragma once

#include "dsm/transport/slot.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hetmp::dsm {

/// Sums of words and sums of these sums, in eight lanes: any one changed word shows, and two that have changed places.
/// About 0.2 us for a page.
inline uint32_t check_of(const void* bytes, size_t count) {
  using Lanes = uint64_t __attribute__((vector_size(16))); // what every processor of the kind has
  constexpr size_t width = 4, block = width * sizeof(Lanes);
  Lanes sums[width] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, sums_of_sums[width] = {};
  const auto add = [&](const uint8_t* from) {
    for (size_t i = 0; i < width; ++i) {
      Lanes words;
      memcpy(&words, from + i * sizeof words, sizeof words);
      sums[i] += words;
      sums_of_sums[i] += sums[i];
    }
  };
  const auto* at = static_cast<const uint8_t*>(bytes);
  size_t left = count;
  for (; left >= block; left -= block, at += block)
    add(at);
  if (left != 0) {
    uint8_t rest[block] = {};
    memcpy(rest, at, left);
    add(rest);
  }
  uint64_t all = count;
  for (size_t i = 0; i < width; ++i)
    for (const Lanes& lanes : {sums[i], sums_of_sums[i]})
      for (int lane = 0; lane < 2; ++lane) {
        all = (all ^ lanes[lane]) * 0x9e3779b97f4a7c15; // odd: nothing is lost
        all ^= all >> 32;
      }
  return uint32_t(all);
}

inline uint32_t header_check(SlotHeader header) {
  header.header_check = 0;
  return check_of(&header, sizeof header);
}

/// The last thing that is done to a header; `data`: as many bytes as it says, may be null for none.
inline void set_checks(SlotHeader& header, const void* data) {
  header.data_check = check_of(data, header.data_bytes);
  header.header_check = header_check(header);
}

} // namespace hetmp::dsm
