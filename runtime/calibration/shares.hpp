// Who touches which pages. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::calibration {

/// Consecutive pages.
struct Share {
  size_t first = 0;
  size_t count = 0;
  bool operator==(const Share&) const = default;
};

/// Pages for each thread of the origin and for each thread of the node under test.
struct Split {
  size_t origin = 1;
  size_t node = 1;
  bool operator==(const Split&) const = default;
};

/// `pages` for each thread of the slower node, and more for the faster one in the ratio of their speeds, so
/// that both would be done at the same time if no page had to travel. Differences below a tenth are taken for
/// noise. `node_speed`: of a thread of the node under test, a thread of the origin being 1; positive.
Split split_pages(size_t pages, double node_speed);

/// Who works.
enum class Workers : uint8_t {
  Origin, ///< node 0 on all pages
  Node,   ///< the node under test on its pages
  Both,   ///< each on its own
};

/// The share of each thread of the team; empty for those that do not work. `node_of`: the node of each
/// thread, ascending.
std::vector<Share> deal_pages(Workers workers, const std::vector<uint32_t>& node_of, uint32_t node, const Split& split);

/// All pages of both nodes.
size_t count_pages(const std::vector<uint32_t>& node_of, uint32_t node, const Split& split);

} // namespace hetmp::calibration
