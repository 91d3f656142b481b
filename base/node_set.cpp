#include "base/node_set.hpp"

namespace hetmp {

std::string to_string(NodeSet nodes, const char* separator) {
  std::string text;
  for (const uint32_t node : nodes)
    text += (text.empty() ? "" : separator) + std::to_string(node);
  return text;
}

} // namespace hetmp
