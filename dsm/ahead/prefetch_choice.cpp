#include "dsm/ahead/prefetch_choice.hpp"

#include "base/environment.hpp"

#include <string_view>

namespace hetmp::dsm {

std::optional<PrefetchChoice> parse_prefetch(const std::string& text) {
  if (const auto all = parse_boolean(text))
    return PrefetchChoice{*all, *all, *all};
  PrefetchChoice choice{false, false, false};
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view name = trimmed(rest.substr(0, comma));
    if (equal_ignoring_case(name, "streams"))
      choice.streams = true;
    else if (equal_ignoring_case(name, "visits"))
      choice.visits = true;
    else if (equal_ignoring_case(name, "pushes"))
      choice.pushes = true;
    else
      return {};
    if (comma == rest.npos)
      return choice;
    rest.remove_prefix(comma + 1);
  }
}

} // namespace hetmp::dsm
