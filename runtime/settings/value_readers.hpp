// Kinds of values that several environment variables have.
#pragma once

#include "base/variables/variable.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hetmp::runtime {

inline constexpr int64_t largest_int = INT_MAX;

/// "512k", "2 M", "64": bytes, or nothing when malformed. A number alone counts units of 2^`default_shift` bytes.
std::optional<size_t> parse_size(std::string_view text, int default_shift);

/// "200", "50ms", "3 s", "2m", "1h", "1d", "500us", "infinite": milliseconds, INT_MAX for ever (and what comes to
/// more); nothing when malformed. Microseconds are rounded down.
std::optional<int> parse_milliseconds(std::string_view text);

/// Nothing if the variable is not set, or malformed: then it is complained about, with what is used instead.
std::optional<int64_t> read_integer(Variable name, int64_t lowest, std::string_view substitute);
std::optional<bool> read_boolean(Variable name, std::string_view substitute);

} // namespace hetmp::runtime
