#include "runtime/tool/manual/roff.hpp"

#include <algorithm>

namespace hetmp::tool::roff {

std::string text(std::string_view plain) {
  std::string result;
  bool begins_line = true;
  for (const char letter : plain) {
    if (begins_line && (letter == '.' || letter == '\''))
      result += "\\&";
    begins_line = letter == '\n';
    if (letter == '\\')
      result += "\\e";
    else if (letter == '-')
      result += "\\-";
    else
      result += letter;
  }
  return result;
}

std::string entry(std::string_view name, std::string_view meaning) {
  return ".TP\n.B \"" + text(name) + "\"\n" + text(meaning.empty() ? std::string_view(" ") : meaning) + '\n';
}

std::string paragraphs(std::string_view plain) {
  std::string result;
  while (!plain.empty()) {
    const std::string_view line = plain.substr(0, plain.find('\n'));
    plain.remove_prefix(std::min(line.size() + 1, plain.size()));
    if (line.empty())
      result += ".PP\n";
    else if (line.front() == ' ')
      result += ".br\n" + text(line.substr(std::min(line.find_first_not_of(' '), line.size()))) + '\n';
    else
      result += text(line) + '\n';
  }
  return result;
}

} // namespace hetmp::tool::roff
