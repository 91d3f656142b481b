#include "base/machine/control_group.hpp"

#include "base/machine/process_status.hpp"

#include <algorithm>

namespace hetmp {
namespace {

constexpr size_t longest_text = 16384;

bool has_controller(std::string_view list, std::string_view wanted) {
  while (true) {
    const size_t comma = list.find(',');
    if (list.substr(0, comma) == wanted)
      return true;
    if (comma == std::string_view::npos)
      return false;
    list.remove_prefix(comma + 1);
  }
}

/// This process's group in the hierarchy with the controller, by the lines "NUMBER:CONTROLLERS:/PATH" of
/// /proc/self/cgroup; the unified hierarchy has none to its name. "/" is its top, empty: there is no such hierarchy.
std::string group_of(std::string_view lines, std::string_view controller) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos)
      continue;
    if (has_controller(line.substr(first + 1, second - first - 1), controller))
      return std::string(line.substr(second + 1));
  }
  return {};
}

} // namespace

std::string first_line(const std::string& path) {
  const std::string text = text_of_file(path.c_str(), longest_text);
  return text.substr(0, text.find('\n'));
}

std::string control_group(const std::string& root, std::string_view controller) {
  return group_of(text_of_file((root + "/proc/self/cgroup").c_str(), longest_text), controller);
}

} // namespace hetmp
