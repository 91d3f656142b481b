#include "perf/read_file.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace hetmp::perf {

std::string read_at_most(int descriptor, size_t most, int& error) {
  std::string text;
  char piece[16384];
  error = 0;
  while (text.size() <= most) {
    const ssize_t bytes = read(descriptor, piece, std::min(sizeof piece, most + 1 - text.size()));
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0) {
      error = bytes < 0 ? errno : 0;
      break;
    }
    text.append(piece, size_t(bytes));
  }
  return text;
}

bool nests_deeper_than(std::string_view json, size_t depth) {
  size_t open = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i; // whatever it is, it does not end the string
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++open > depth)
      return true;
    else if (!quoted && (c == ']' || c == '}') && open > 0)
      --open;
  }
  return false;
}

} // namespace hetmp::perf
