// Text in the language of manual pages, man(7).
#pragma once

#include <string>
#include <string_view>

namespace hetmp::tool::roff {

/// As it is to be read: nothing in it is a request or a change of font, and a hyphen is one that can be copied.
std::string text(std::string_view plain);

/// A name in bold, and what it means below.
std::string entry(std::string_view name, std::string_view meaning);

/// Of paragraphs with an empty line between; lines that begin with a blank stay as they are.
std::string paragraphs(std::string_view plain);

} // namespace hetmp::tool::roff
