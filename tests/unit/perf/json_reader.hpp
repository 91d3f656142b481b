// A strict reader of JSON, just large enough to read the report back. Anything malformed throws.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hetmp::perf {

struct Json {
  enum class Kind { Null, Boolean, Number, String, Array, Object } kind = Kind::Null;
  double number = 0; ///< true: 1
  std::string text;
  std::vector<Json> elements;
  std::map<std::string, Json> members;

  const Json& operator[](const std::string& name) const { return members.at(name); }
  const Json& operator[](size_t index) const { return elements.at(index); }
};

class JsonReader {
 public:
  static Json read(std::string_view text) {
    JsonReader reader(text);
    const Json value = reader.value();
    reader.skip_blanks();
    if (!reader.rest_.empty())
      throw std::runtime_error("something follows the value");
    return value;
  }

 private:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  void skip_blanks() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != rest_.npos)
      rest_.remove_prefix(1);
  }

  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      throw std::runtime_error(std::string("expected ") + c + " before: " + std::string(rest_.substr(0, 20)));
  }

  char next() {
    if (rest_.empty())
      throw std::runtime_error("ends too early");
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  Json value() {
    skip_blanks();
    Json result;
    if (rest_.starts_with("null")) {
      rest_.remove_prefix(4);
    } else if (rest_.starts_with("true") || rest_.starts_with("false")) {
      result.kind = Json::Kind::Boolean;
      result.number = rest_[0] == 't';
      rest_.remove_prefix(rest_[0] == 't' ? 4 : 5);
    } else if (rest_.starts_with('"')) {
      result.kind = Json::Kind::String;
      result.text = string();
    } else if (accept('[')) {
      result.kind = Json::Kind::Array;
      if (accept(']'))
        return result;
      do
        result.elements.push_back(value());
      while (accept(','));
      expect(']');
    } else if (accept('{')) {
      result.kind = Json::Kind::Object;
      if (accept('}'))
        return result;
      do {
        skip_blanks();
        const std::string name = string();
        expect(':');
        if (!result.members.emplace(name, value()).second)
          throw std::runtime_error("member twice: " + name);
      } while (accept(','));
      expect('}');
    } else {
      result.kind = Json::Kind::Number;
      result.number = number();
    }
    return result;
  }

  double number() {
    const std::string digits(rest_.substr(0, rest_.find_first_not_of("0123456789+-.eE")));
    char* end = nullptr;
    const double result = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != '\0' || digits[0] == '+' || digits[0] == '.')
      throw std::runtime_error("not a number: " + std::string(rest_.substr(0, 20)));
    rest_.remove_prefix(digits.size());
    return result;
  }

  std::string string() {
    std::string result;
    expect('"');
    for (char c = next(); c != '"'; c = next()) {
      if (static_cast<unsigned char>(c) < 0x20)
        throw std::runtime_error("a control character in a string");
      result += c == '\\' ? escaped() : c;
    }
    return result;
  }

  char escaped() {
    const char c = next();
    if (c == '"' || c == '\\' || c == '/')
      return c;
    if (c != 'u')
      throw std::runtime_error("unknown escape");
    std::string digits;
    for (int i = 0; i < 4; ++i)
      digits += next();
    const unsigned long code = std::stoul(digits, nullptr, 16);
    if (code > 0x7f)
      throw std::runtime_error("this reader only knows escapes of ASCII");
    return static_cast<char>(code);
  }

  std::string_view rest_;
};

} // namespace hetmp::perf
