#include "base/message.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace hetmp {
namespace {

/// Values of variables, names of files and what other hosts say may hold anything; a line is one line, and no terminal
/// obeys it. UTF-8's two bytes for the controls of ISO 8859 are the ones behind 0xc2.
void disarm(char* text, int length) {
  for (int i = 0; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]),
               next = static_cast<unsigned char>(i + 1 < length ? text[i + 1] : 0);
    if (byte < 0x20 || byte == 0x7f)
      text[i] = '?';
    else if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
      text[i] = text[i + 1] = '?';
  }
}

/// `line` begins with `prefix` characters that are there already.
void write_line(char (&line)[1024], int prefix, const char* format, va_list arguments) {
  int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
  if (length < 0)
    return;
  length += prefix;
  if (length > int(sizeof line) - 2)
    length = int(sizeof line) - 2;
  disarm(line + prefix, length - prefix);
  line[length++] = '\n';
  // A failed write has nowhere to be reported.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line, size_t(length));
}

void write_line(const char* format, va_list arguments) {
  char line[1024] = "hetmp: ";
  write_line(line, int(strlen(line)), format, arguments);
}

void write_line_as_libomp(const char* numbered_prefix, int number, const char* format, va_list arguments) {
  char line[1024];
  const int prefix = snprintf(line, sizeof line, numbered_prefix, number);
  write_line(line, prefix, format, arguments);
}

} // namespace

void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void say_once(bool& flag, const char* format, ...) {
  if (__atomic_exchange_n(&flag, true, __ATOMIC_RELAXED))
    return;
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void warn_as_libomp(int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line_as_libomp("OMP: Warning #%d: hetmp: ", number, format, arguments);
  va_end(arguments);
}

void inform_as_libomp(int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line_as_libomp("OMP: Info #%d: ", number, format, arguments);
  va_end(arguments);
}

void die(int exit_code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  _exit(exit_code);
}

} // namespace hetmp
