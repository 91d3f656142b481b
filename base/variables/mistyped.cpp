#include "base/variables/mistyped.hpp"

#include <algorithm>
#include <array>

namespace hetmp {
namespace {

constexpr std::string_view prefix = "HETMP_";
constexpr size_t longest = 32; // of what follows the prefix
constexpr size_t short_word = 4;

char upper_case(char letter) { return letter >= 'a' && letter <= 'z' ? char(letter - 'a' + 'A') : letter; }

bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    const char upper = upper_case(letter);
    return (upper >= 'A' && upper <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
}

/// How many letters are to be inserted, left out, replaced or exchanged with their neighbour to make `b` of `a`,
/// whatever their case (optimal string alignment). Both are at most `longest` letters.
size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<size_t, longest + 1>, 3> rows{}; // of a's first i letters, of one less, of two less
  for (size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& now = rows[i % 3];
    const auto &before = rows[(i + 2) % 3], &before_that = rows[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = upper_case(a[i - 1]) == upper_case(b[j - 1]);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && upper_case(a[i - 1]) == upper_case(b[j - 2]) &&
          upper_case(a[i - 2]) == upper_case(b[j - 1]))
        now[j] = std::min(now[j], before_that[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

} // namespace

std::optional<Variable> probably_meant(std::string_view name) {
  if (!name.starts_with(prefix) || name.size() > prefix.size() + longest || !is_word(name) || variable_named(name))
    return {};
  name.remove_prefix(prefix.size());
  std::optional<Variable> nearest;
  size_t least = name.size() <= short_word ? 2 : 3; // nearer than that
  for (size_t i = 0; i < variable_count; ++i) {
    const std::string_view known = name_of(Variable(i));
    if (!known.starts_with(prefix) || section_of(Variable(i)) == Section::Internal)
      continue;
    if (const size_t letters = distance(name, known.substr(prefix.size())); letters < least) {
      least = letters;
      nearest = Variable(i);
    }
  }
  return nearest;
}

} // namespace hetmp
