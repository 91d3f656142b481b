// Which bytes are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace hetmp::perf {

/// Length of the UTF-8 sequence at the start of `text`; 0 if it is not well formed (overlong forms,
/// surrogates and code points above U+10FFFF included).
inline size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool sensible = (lead != 0xe0 || byte(1) >= 0xa0) && (lead != 0xed || byte(1) < 0xa0);
    return sensible && continues(1) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool sensible = (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) < 0x90);
    return sensible && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

} // namespace hetmp::perf
