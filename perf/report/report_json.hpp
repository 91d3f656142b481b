// JSON text, written without a library.
#pragma once

#include <string>
#include <string_view>

namespace hetmp::perf {

/// As a JSON string, quotation marks included; bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

} // namespace hetmp::perf
