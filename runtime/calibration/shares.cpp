#include "runtime/calibration/shares.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::calibration {
namespace {

constexpr double smallest_difference = 1.1;

size_t threads_on(const std::vector<uint32_t>& node_of, uint32_t node) {
  return size_t(std::count(node_of.begin(), node_of.end(), node));
}

size_t scaled(size_t pages, double ratio) { return size_t(std::llround(double(pages) * ratio)); }

} // namespace

Split split_pages(size_t pages, double node_speed) {
  if (node_speed > smallest_difference)
    return {pages, scaled(pages, node_speed)};
  if (node_speed * smallest_difference < 1)
    return {scaled(pages, 1 / node_speed), pages};
  return {pages, pages};
}

size_t count_pages(const std::vector<uint32_t>& node_of, uint32_t node, const Split& split) {
  return threads_on(node_of, 0) * split.origin + threads_on(node_of, node) * split.node;
}

std::vector<Share> deal_pages(Workers workers, const std::vector<uint32_t>& node_of, uint32_t node,
                              const Split& split) {
  const size_t origin_threads = threads_on(node_of, 0);
  const size_t all = count_pages(node_of, node, split);
  std::vector<Share> shares(node_of.size());
  size_t next_on_origin = 0, next_on_node = 0;
  for (size_t thread = 0; thread < node_of.size(); ++thread) {
    if (node_of[thread] == 0) {
      const size_t number = next_on_origin++;
      const size_t begin = all * number / origin_threads;
      if (workers == Workers::Origin)
        shares[thread] = {begin, all * (number + 1) / origin_threads - begin};
      else if (workers == Workers::Both)
        shares[thread] = {number * split.origin, split.origin};
    } else if (node_of[thread] == node && workers != Workers::Origin) {
      shares[thread] = {origin_threads * split.origin + next_on_node++ * split.node, split.node};
    }
  }
  return shares;
}

} // namespace hetmp::calibration
