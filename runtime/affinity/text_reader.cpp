#include "runtime/affinity/text_reader.hpp"

#include "base/environment.hpp"

#include <utility>

namespace hetmp::affinity {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool TextReader::take(char wanted) {
  skip_blanks();
  if (failed() || rest_.empty() || rest_.front() != wanted)
    return false;
  rest_.remove_prefix(1);
  return true;
}

int64_t TextReader::number(int64_t least, int64_t greatest, const char* what) {
  skip_blanks();
  size_t length = !rest_.empty() && (rest_.front() == '-' || rest_.front() == '+') ? 1 : 0;
  while (length < rest_.size() && is_digit(rest_[length]))
    ++length;
  std::string_view digits = rest_.substr(0, length);
  if (!digits.empty() && digits.front() == '+')
    digits.remove_prefix(1);
  const auto value = parse_integer(digits, least, greatest);
  rest_.remove_prefix(length);
  if (!value)
    fail(std::string("expected ") + what + (rest_.empty() && length == 0 ? " at the end" : ""));
  return value.value_or(least);
}

std::string_view TextReader::word() {
  skip_blanks();
  size_t length = 0;
  while (!failed() && length < rest_.size() && (rest_[length] == '_' || is_letter(rest_[length])))
    ++length;
  const std::string_view found = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return found;
}

bool TextReader::at_number() {
  skip_blanks();
  return !rest_.empty() && is_digit(rest_.front());
}

bool TextReader::at_word() {
  skip_blanks();
  return !rest_.empty() && is_letter(rest_.front());
}

bool TextReader::at_end() {
  skip_blanks();
  return rest_.empty();
}

void TextReader::fail(std::string why) {
  if (error_.empty())
    error_ = std::move(why);
}

void TextReader::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
    rest_.remove_prefix(1);
}

} // namespace hetmp::affinity
