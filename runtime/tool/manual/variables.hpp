// The variables of hetmp for people, from the table (base/variables): `hetmp info --variables`, the end of
// `hetmp run --help`, and docs/variables.md.
#pragma once

#include "base/variables/description.hpp"

#include <string>

namespace hetmp::tool {

/// docs/variables.md as a whole: all sections but the internal one.
std::string variables_markdown();

/// For a terminal: name, default, values, meaning; `lookup` tells what is set now, or null.
std::string variables_text(const char* (*lookup)(Variable));

/// The manual page hetmp(7): the same sections. `version`: hetmp's.
std::string variables_manual(const std::string& version);

/// The names of hetmp's own, in lines of at most `width` characters.
std::string own_variable_names(size_t width);

} // namespace hetmp::tool
