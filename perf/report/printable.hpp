// Names from files and programs, for terminals.
#pragma once

#include "perf/report/region_record.hpp"

#include <string>
#include <string_view>

namespace hetmp::perf {

/// Whether a well-formed UTF-8 sequence, one character, is obeyed rather than shown: ASCII's and ISO 8859's controls,
/// Unicode's line ends, marks of direction and characters without width, and what is no character.
bool is_control(std::string_view character);

/// With "\x1b" or "\u202e" in the place of such characters and of bytes that are not UTF-8.
std::string printable(std::string_view text);

/// The same of every name in it.
Report printable(Report report);

/// Not more than `most` bytes of it, "..." included if that is not all; no character is divided.
std::string shortened(std::string text, size_t most);

} // namespace hetmp::perf
