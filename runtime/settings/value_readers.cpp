#include "runtime/settings/value_readers.hpp"

#include "base/environment.hpp"

#include <algorithm>

namespace hetmp::runtime {
namespace {

/// The power of two that a unit letter stands for; nothing for other letters.
std::optional<int> shift_of_unit(char letter) {
  switch (letter | 0x20) { // lower case
  case 'b':
    return 0;
  case 'k':
    return 10;
  case 'm':
    return 20;
  case 'g':
    return 30;
  case 't':
    return 40;
  default:
    return {};
  }
}

struct TimeUnit {
  const char* name;
  int64_t milliseconds; ///< 0: a microsecond
};
constexpr TimeUnit time_units[] = {{"", 1},       {"us", 0},       {"ms", 1},       {"s", 1000},
                                   {"m", 60'000}, {"h", 3600'000}, {"d", 86400'000}};

} // namespace

std::optional<size_t> parse_size(std::string_view text, int default_shift) {
  text = trimmed(text);
  int shift = default_shift;
  if (!text.empty())
    if (const auto unit = shift_of_unit(text.back())) {
      shift = *unit;
      text.remove_suffix(1);
    }
  const auto count = parse_integer(text, 1, INT64_MAX >> shift);
  if (!count)
    return {};
  return size_t(*count) << shift;
}

std::optional<int> parse_milliseconds(std::string_view text) {
  text = trimmed(text);
  if (equal_ignoring_case(text, "infinite") || equal_ignoring_case(text, "infinity"))
    return INT_MAX;
  const std::string_view number = text.substr(0, text.find_last_of("0123456789") + 1);
  const auto count = parse_integer(number, 0, largest_int);
  if (!count)
    return {};
  for (const TimeUnit& unit : time_units)
    if (equal_ignoring_case(trimmed(text.substr(number.size())), unit.name))
      return int(std::min(unit.milliseconds == 0 ? *count / 1000 : *count * unit.milliseconds, largest_int));
  return {};
}

std::optional<int64_t> read_integer(Variable name, int64_t lowest, std::string_view substitute) {
  const auto value = environment_value(name);
  if (!value)
    return {};
  const auto number = parse_integer(*value, lowest, largest_int);
  if (!number)
    complain(name, *value, lowest > 0 ? "not a positive number" : "not a number from 0 up", substitute);
  return number;
}

std::optional<bool> read_boolean(Variable name, std::string_view substitute) {
  const auto value = environment_value(name);
  if (!value)
    return {};
  const auto truth = parse_boolean(*value);
  if (!truth)
    complain(name, *value, "neither true nor false", substitute);
  return truth;
}

} // namespace hetmp::runtime
