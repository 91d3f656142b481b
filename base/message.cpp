#include "base/message.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace hetmp {
namespace {

void write_line(const char* format, va_list arguments) {
  char line[1024] = "hetmp: ";
  constexpr int prefix = 7;
  int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
  if (length < 0)
    return;
  length += prefix;
  if (length > int(sizeof line) - 2)
    length = int(sizeof line) - 2;
  line[length++] = '\n';
  // A failed write has nowhere to be reported.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line, size_t(length));
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

void die(int exit_code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  _exit(exit_code);
}

} // namespace hetmp
