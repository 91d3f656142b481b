#include "base/environment.hpp"

#include "base/message.hpp"

#include <atomic>
#include <charconv>
#include <strings.h>
#include <sys/auxv.h>

namespace hetmp {
namespace {

std::atomic<bool> complaints_wanted{true}; // relaxed: it guards nothing

} // namespace

std::string_view trimmed(std::string_view text) {
  const char* blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || strncasecmp(a.data(), b.data(), a.size()) == 0); // data() may be null
}

bool is_privileged() { return getauxval(AT_SECURE) != 0; }

std::optional<int64_t> parse_integer(std::string_view text, int64_t lowest, int64_t highest) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest)
    return {};
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return {};
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trimmed(text);
  for (const char* word : {"true", "yes", "on", "1", "t", ".true."})
    if (equal_ignoring_case(text, word))
      return true;
  for (const char* word : {"false", "no", "off", "0", "f", ".false."})
    if (equal_ignoring_case(text, word))
      return false;
  return {};
}

void complain(const char* name, std::string_view value, std::string_view problem, std::string_view substitute) {
  if (complaints_are_wanted())
    say("%s=%.*s: %.*s; using %.*s", name, int(value.size()), value.data(), int(problem.size()), problem.data(),
        int(substitute.size()), substitute.data());
}

void complain_as_libomp(int number, const char* name, std::string_view value, std::string_view problem,
                        std::string_view substitute) {
  if (complaints_are_wanted())
    warn_as_libomp(number, "%s=%.*s: %.*s; using %.*s", name, int(value.size()), value.data(), int(problem.size()),
                   problem.data(), int(substitute.size()), substitute.data());
}

bool complaints_are_wanted() { return complaints_wanted.load(std::memory_order_relaxed); }

bool set_complaints(bool wanted) { return complaints_wanted.exchange(wanted, std::memory_order_relaxed); }

} // namespace hetmp
