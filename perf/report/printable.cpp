#include "perf/report/printable.hpp"

#include "perf/report/report_utf8.hpp"

namespace hetmp::perf {
namespace {

constexpr char hexadecimal_digits[] = "0123456789abcdef";

/// Of a well-formed sequence.
uint32_t code_point(std::string_view character) {
  const auto bits = [&](size_t i) { return uint32_t(static_cast<unsigned char>(character[i])); };
  if (character.size() == 1)
    return bits(0);
  uint32_t point = bits(0) & (0xffu >> (character.size() + 1));
  for (size_t i = 1; i < character.size(); ++i)
    point = point << 6 | (bits(i) & 0x3f);
  return point;
}

std::string in_hexadecimal(const char* prefix, uint32_t value, int digits) {
  std::string text = prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += hexadecimal_digits[value >> shift & 15];
  return text;
}

std::string escape(std::string_view character) {
  const uint32_t point = code_point(character);
  return character.size() == 1 ? in_hexadecimal("\\x", point, 2) : in_hexadecimal("\\u", point, 4);
}

} // namespace

bool is_control(std::string_view character) {
  const uint32_t point = code_point(character);
  const auto within = [point](uint32_t first, uint32_t last) { return first <= point && point <= last; };
  return point < 0x20 || within(0x7f, 0x9f) || point == 0x61c || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2060, 0x206f) || point == 0xfeff || within(0xfff9, 0xfffb) || within(0xfffe, 0xffff);
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0)
      result += in_hexadecimal("\\x", static_cast<unsigned char>(text[0]), 2);
    else if (is_control(character))
      result += escape(character);
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

Report printable(Report report) {
  const auto make_printable = [](std::string& name) { name = printable(name); };
  for (std::string* name : {&report.counters, &report.threshold_from, &report.interconnect, &report.tasks.kept_because,
                            &report.placement.asked_for, &report.placement.no_journeys, &report.placement.unheeded})
    make_printable(*name);
  for (RegionRecord& region : report.regions)
    for (std::string* name :
         {&region.source, &region.place, &region.decision, &region.reason, &region.policy, &region.mode})
      make_printable(*name);
  for (PlacedRegion& region : report.placement.regions)
    for (std::string* name : {&region.source, &region.place, &region.because})
      make_printable(*name);
  for (OtherVisits& others : report.placement.others)
    make_printable(others.why);
  for (BouncingPages& pages : report.bouncing) {
    for (std::string& name : pages.holds)
      make_printable(name);
    for (RegionTurns& region : pages.regions)
      make_printable(region.region);
  }
  return report;
}

std::string shortened(std::string text, size_t most) {
  constexpr std::string_view dots = "...";
  if (text.size() <= most)
    return text;
  size_t end = most - dots.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  text.resize(end);
  return text += dots;
}

} // namespace hetmp::perf
