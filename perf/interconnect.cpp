#include "perf/interconnect.hpp"

#include "base/environment.hpp"
#include "base/message.hpp"
#include "base/variables/variable.hpp"

#include <algorithm>
#include <charconv>

namespace hetmp::perf {
namespace {

constexpr Variable threshold_variable = Variable::HETMP_FAULT_PERIOD_US;

std::string in_digits(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6).ptr};
}

/// The user's word, if it is one.
std::optional<double> named_threshold() {
  const auto text = environment_value(threshold_variable);
  const auto value = text ? parse_real(*text) : std::nullopt;
  constexpr double largest = 1e12;
  return value && *value >= 0 && *value <= largest ? value : std::nullopt;
}

/// The threshold stays as it is if the user named one.
void take_profile(std::string_view interconnect, uint32_t nodes, bool threshold_named, Interconnect& known) {
  const auto path = profile_path();
  if (!path)
    return;
  const Profile profile = read_profile(*path);
  if (!profile.error.empty()) {
    if (!profile.missing || environment_value(Variable::HETMP_PROFILE))
      say("profile %s %s; using a threshold of %s us", path->c_str(), profile.error.c_str(),
          in_digits(known.threshold_us).c_str());
    return;
  }
  Interconnect measured;
  if (!apply_profile(profile.entries, interconnect, nodes, measured))
    return;
  known.fault_us = measured.fault_us;
  if (threshold_named)
    return;
  known.threshold_us = measured.threshold_us;
  known.origin_of_figures = "profile " + *path;
}

} // namespace

bool apply_profile(const std::vector<ProfileEntry>& entries, std::string_view interconnect, uint32_t nodes,
                   Interconnect& known) {
  std::vector<bool> measured(nodes, false);
  Interconnect of_these, of_all;
  of_these.threshold_us = of_these.fault_us = of_all.threshold_us = of_all.fault_us = 0;
  const auto take = [](const ProfileEntry& entry, Interconnect& largest) {
    largest.threshold_us = std::max(largest.threshold_us, entry.threshold_us);
    largest.fault_us = std::max(largest.fault_us, entry.fault_us);
  };
  bool any = false;
  for (const ProfileEntry& entry : entries) {
    if (entry.interconnect != interconnect)
      continue;
    any = true;
    take(entry, of_all);
    if (entry.from == 0 && entry.to < nodes) {
      take(entry, of_these);
      measured[entry.to] = true;
    }
  }
  if (!any)
    return false;
  const bool complete = nodes > 1 && std::all_of(measured.begin() + 1, measured.end(), [](bool is) { return is; });
  const Interconnect& best = complete ? of_these : of_all;
  known.threshold_us = best.threshold_us;
  known.fault_us = best.fault_us;
  return true;
}

Interconnect find_interconnect(std::string_view interconnect, uint32_t nodes) {
  Interconnect known;
  const std::optional<double> named = named_threshold();
  if (named) {
    known.threshold_us = *named;
    known.origin_of_figures = name_of(threshold_variable);
  }
  if (!interconnect.empty())
    take_profile(interconnect, nodes, named.has_value(), known);
  if (const auto text = environment_value(threshold_variable); text && !named)
    complain(threshold_variable, *text, "not a number of microseconds", in_digits(known.threshold_us));
  return known;
}

} // namespace hetmp::perf
