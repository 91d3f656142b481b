#include "runtime/regions/node_parts.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace hetmp::runtime {

// It travels as its bytes.
static_assert(std::is_trivially_copyable_v<TeamDescription> && std::is_standard_layout_v<TeamDescription>);

TeamDescription part_of_node(const TeamDescription& of_node_0, const std::vector<uint32_t>& by_node, uint32_t node) {
  HETMP_CHECK(node < by_node.size() && by_node[node] != 0 && of_node_0.argument_count <= most_forwarded_arguments);
  TeamDescription part;
  copy_all_but_arguments(part, of_node_0);
  std::copy_n(of_node_0.arguments, of_node_0.argument_count, part.arguments);
  part.node = node;
  part.first_thread = std::accumulate(by_node.begin(), by_node.begin() + node, 0u);
  part.local_threads = by_node[node];
  HETMP_CHECK(part.first_thread + part.local_threads <= part.threads);
  return part;
}

void copy_all_but_arguments(TeamDescription& to, const TeamDescription& from) {
  memcpy(static_cast<void*>(&to), &from, offsetof(TeamDescription, arguments));
}

} // namespace hetmp::runtime
