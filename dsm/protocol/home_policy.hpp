// When a page's home moves: a pure function of what its home has seen, cheap enough to be kept for every
// page.
//
// What a move saves is the third party. While node D, not the home, keeps writing a page that others keep
// reading, each round costs D a request to home and a grant back besides the invalidations, and each reader a
// hop from home to D. With the home at D both fall away. It pays only where third nodes take part: between D
// and the home alone a round costs as many messages with the home at one as at the other. So with two nodes
// nothing moves.
#pragma once

#include <cstdint>

namespace hetmp::dsm::protocol {

inline constexpr uint32_t longest_streak = 3;

/// Upgrades in a row by one node other than home, each of which took the page from a third node.
/// `same_writer`: the node that becomes the only holder was the latest writer too; `third_party`: a copy has
/// to go from a node that is neither this writer nor home.
constexpr uint32_t next_streak(uint32_t streak, bool same_writer, bool third_party) {
  if (!same_writer)
    return 0;
  return third_party && streak < longest_streak ? streak + 1 : streak;
}

/// Whether the home goes with the right to write that it is about to send.
constexpr bool home_moves(uint32_t streak, uint32_t nodes) { return nodes > 2 && streak == longest_streak; }

} // namespace hetmp::dsm::protocol
