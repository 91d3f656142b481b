#include "schedulers/arithmetic/core_speeds.hpp"

#include "schedulers/arithmetic/loop_shape.hpp"
#include "schedulers/arithmetic/words.hpp"

#include <algorithm>
#include <cmath>

namespace hetmp::schedulers {

bool CoreSpeeds::all_equal() const {
  return std::all_of(of_node.begin(), of_node.end(), [](double speed) { return speed == 1.0; });
}

ParsedCoreSpeeds parse_core_speeds(std::string_view text) {
  CoreSpeeds speeds;
  bool any = false;
  for (;;) {
    const size_t separator = text.find_first_of(",:");
    const std::optional<double> speed = whole_number<double>(without_blanks_around(text.substr(0, separator)));
    if (!speed || !std::isfinite(*speed) || *speed < 0)
      return {std::nullopt, "a core speed ratio is not a number from 0 up"};
    if (speeds.of_node.size() == most_nodes)
      return {std::nullopt, "more than " + std::to_string(most_nodes) + " core speed ratios"};
    speeds.of_node.push_back(*speed);
    any = any || *speed > 0;
    if (separator == text.npos)
      break;
    text.remove_prefix(separator + 1);
  }
  if (!any)
    return {std::nullopt, "no core speed ratio is above 0"};
  return {speeds, {}};
}

} // namespace hetmp::schedulers
