// What a variable says that names a file.
#pragma once

#include "base/environment.hpp"
#include "base/variables/variable.hpp"

#include <optional>
#include <string>

namespace hetmp::perf {

/// Neither is set: the file is where it is by default, as it is for `true` as well.
struct NamedFile {
  bool none = false;                 ///< there is to be none: `none`, or a word for false
  std::optional<std::string> path{}; ///< as the user wrote it
};

inline NamedFile file_named_by(Variable variable) {
  const auto text = environment_value(variable);
  if (!text)
    return {};
  const std::optional<bool> word = parse_boolean(*text);
  if (*text == "none" || word)
    return {.none = !word.value_or(false)};
  return {.path = *text};
}

} // namespace hetmp::perf
