// What tells that a frame has come as it was sent: for streams that nothing else protects. Against accidents; whoever changes
// bytes on purpose can change these, too (encrypted runs have more than this).
#pragma once

#include "dsm/node/slot.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hetmp::dsm {

/// Sums of words and sums of these sums, in four lanes: any one changed word shows, and two that have changed places. About 0.1 us
/// for a page.
inline uint32_t check_of(const void* bytes, size_t count) {
  using Lanes = uint64_t __attribute__((vector_size(32)));
  Lanes sums{1, 2, 3, 4}, sums_of_sums{};
  const auto* at = static_cast<const uint8_t*>(bytes);
  const auto add = [&](size_t part) {
    Lanes words{};
    memcpy(&words, at, part);
    sums += words;
    sums_of_sums += sums;
  };
  size_t left = count;
  for (; left >= sizeof(Lanes); left -= sizeof(Lanes), at += sizeof(Lanes))
    add(sizeof(Lanes));
  if (left != 0)
    add(left);
  uint64_t all = count;
  for (const Lanes& lanes : {sums, sums_of_sums})
    for (int i = 0; i < 4; ++i) {
      all = (all ^ lanes[i]) * 0x9e3779b97f4a7c15; // odd: nothing is lost
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
