#include "base/cpu_quota.hpp"

#include "base/environment.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace hetmp {
namespace {

constexpr size_t longest_text = 16384;

/// The beginning of a small file; empty if it cannot be read.
std::string text_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  std::string text(longest_text, '\0');
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  text.resize(size_t(std::max<ssize_t>(length, 0)));
  return text;
}

std::string first_line(const std::string& path) {
  const std::string text = text_of(path);
  return text.substr(0, text.find('\n'));
}

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

/// This process's group in the hierarchy with the controller, by the lines "NUMBER:CONTROLLERS:/PATH" of /proc/self/cgroup; the
/// unified hierarchy has none to its name. "/" is its top, empty: there is no such hierarchy.
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

/// Calls `look(folder)` for the group and all above it, down to the hierarchy's own folder. A container may see its group mounted there,
/// under a path that says otherwise.
template <class Look>
void for_each_group(const std::string& hierarchy, std::string group, Look&& look) {
  while (group.ends_with('/'))
    group.pop_back();
  for (;; group.resize(group.rfind('/'))) {
    look(hierarchy + group);
    if (group.find('/') == std::string::npos)
      return;
  }
}

} // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
  text = trimmed(text);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos)
    return {};
  const auto quota = parse_integer(text.substr(0, blank), 1, INT64_MAX);
  const auto period = parse_integer(text.substr(blank), 1, INT64_MAX);
  if (!quota || !period)
    return {};
  return double(*quota) / double(*period);
}

std::optional<double> cpu_quota(const std::string& root) {
  std::optional<double> smallest;
  const auto keep_smallest = [&](std::optional<double> quota) {
    if (quota && (!smallest || *quota < *smallest))
      smallest = quota;
  };
  const std::string groups = text_of(root + "/proc/self/cgroup");
  const std::string hierarchies = root + "/sys/fs/cgroup";
  for_each_group(hierarchies, group_of(groups, ""), [&](const std::string& folder) {
    keep_smallest(parse_cpu_max(first_line(folder + "/cpu.max")));
  });
  // Version 1 keeps the two numbers in files, under the controller's name.
  for_each_group(hierarchies + "/cpu", group_of(groups, "cpu"), [&](const std::string& folder) {
    keep_smallest(parse_cpu_max(first_line(folder + "/cpu.cfs_quota_us") + ' ' + first_line(folder + "/cpu.cfs_period_us")));
  });
  return smallest;
}

} // namespace hetmp
