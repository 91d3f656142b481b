#include "base/machine/cpu_quota.hpp"

#include "base/environment.hpp"
#include "base/machine/control_group.hpp"

namespace hetmp {

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
  for_each_control_group(
      root, "", [&](const std::string& folder) { keep_smallest(parse_cpu_max(first_line(folder + "/cpu.max"))); });
  // Version 1 keeps the two numbers in files, under the controller's name.
  for_each_control_group(root, "cpu", [&](const std::string& folder) {
    keep_smallest(
        parse_cpu_max(first_line(folder + "/cpu.cfs_quota_us") + ' ' + first_line(folder + "/cpu.cfs_period_us")));
  });
  return smallest;
}

} // namespace hetmp
