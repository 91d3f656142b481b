#include "runtime/affinity/affinity_format.hpp"

#include <algorithm>

namespace hetmp::affinity {
namespace {

struct FieldName {
  char letter;
  std::string_view name;
  std::string AffinityFacts::*fact;
};

constexpr FieldName field_names[] = {
    {'t', "team_num", &AffinityFacts::team_num},
    {'T', "num_teams", &AffinityFacts::num_teams},
    {'L', "nesting_level", &AffinityFacts::nesting_level},
    {'n', "thread_num", &AffinityFacts::thread_num},
    {'N', "num_threads", &AffinityFacts::num_threads},
    {'a', "ancestor_tnum", &AffinityFacts::ancestor_tnum},
    {'H', "host", &AffinityFacts::host},
    {'P', "process_id", &AffinityFacts::process_id},
    {'i', "native_thread_id", &AffinityFacts::native_thread_id},
    {'A', "thread_affinity", &AffinityFacts::thread_affinity},
};

/// How a field is padded: "[0][.]<width>" between % and the type.
struct Padding {
  bool zeros = false;
  bool right = false;
  size_t width = 0;
};

constexpr size_t widest_field = 4096;

Padding take_padding(std::string_view& text) {
  Padding padding;
  if (text.starts_with('0')) {
    padding.zeros = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('.')) {
    padding.right = true;
    text.remove_prefix(1);
  }
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    padding.width = std::min(padding.width * 10 + size_t(text[0] - '0'), widest_field);
    text.remove_prefix(1);
  }
  return padding;
}

std::string take_field(std::string_view& text, const AffinityFacts& facts) {
  const auto matches = [&](const FieldName& field, std::string_view name) {
    return name.size() == 1 ? field.letter == name[0] : field.name == name;
  };
  std::string_view name = text.substr(0, 1);
  size_t length = 1;
  if (name == "{") {
    const size_t end = text.find('}');
    name = text.substr(1, end == std::string_view::npos ? end : end - 1);
    length = end == std::string_view::npos ? text.size() : end + 1;
  }
  text.remove_prefix(std::min(length, text.size()));
  for (const FieldName& field : field_names)
    if (matches(field, name))
      return facts.*field.fact;
  return "undefined";
}

std::string padded(std::string field, const Padding& padding) {
  if (field.size() >= padding.width)
    return field;
  const size_t missing = padding.width - field.size();
  if (!padding.right)
    return field + std::string(missing, ' ');
  if (!padding.zeros)
    return std::string(missing, ' ') + field;
  // Zeros belong between a sign and its digits.
  const size_t sign = field.starts_with('-') ? 1 : 0;
  return field.insert(sign, missing, '0');
}

} // namespace

std::string expand_affinity_format(std::string_view format, const AffinityFacts& facts) {
  std::string text;
  while (!format.empty()) {
    const size_t percent = format.find('%');
    text += format.substr(0, percent);
    if (percent == std::string_view::npos)
      break;
    format.remove_prefix(percent + 1);
    if (format.empty() || format[0] == '%') {
      text += '%';
      format.remove_prefix(format.empty() ? 0 : 1);
      continue;
    }
    const Padding padding = take_padding(format);
    text += padded(take_field(format, facts), padding);
  }
  return text;
}

} // namespace hetmp::affinity
