// Reads the small languages in which places are asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hetmp::affinity {

/// Reads a text from left to right, blanks aside. The first error stays, and nothing is taken after it.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  /// Takes the character if it comes next.
  bool take(char wanted);
  /// Takes a whole number with or without a sign. One out of bounds, or none, is an error that says `what` was
  /// expected, and counts as `least`.
  int64_t number(int64_t least, int64_t greatest, const char* what);
  /// Takes letters and underscores; empty if something else comes next.
  std::string_view word();

  bool at_number();
  bool at_word();
  bool at_end();

  void fail(std::string why);
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  void skip_blanks();

  std::string_view rest_;
  std::string error_;
};

} // namespace hetmp::affinity
