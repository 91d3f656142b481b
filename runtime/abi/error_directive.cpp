// The `error` directive at execution time.
#include "base/exit_codes.hpp"
#include "base/message.hpp"
#include "runtime/abi/entry.hpp"
#include "runtime/abi/ident.hpp"
#include "runtime/ompt/events.hpp"

#include <cstring>

namespace {

constexpr int severity_warning = 1;

/// A text in memory; cut where a line would be.
struct Text {
  const char* first = "";
  int bytes = 0;
};

Text text_of(const char* message, size_t bytes) {
  constexpr size_t longest = 900;
  if (!message)
    return {};
  return {message, int(strnlen(message, bytes < longest ? bytes : longest))};
}

/// "file;function;line" of ";file;function;line;column;;".
Text place_of(const char* source) {
  if (!source || *source != ';')
    return {};
  const char* end = source + 1;
  for (int fields = 0; *end != '\0' && (*end != ';' || ++fields < 3);)
    end++;
  return {source + 1, int(end - source - 1)};
}

/// Programs of clang know libomp's, which has this number.
void warn_as_libomp(Text place, Text message) {
  constexpr int user_directed_warning = 283;
  if (place.bytes != 0)
    hetmp::warn_as_libomp(user_directed_warning, "error directive at %.*s: %.*s", place.bytes, place.first,
                          message.bytes, message.first);
  else
    hetmp::warn_as_libomp(user_directed_warning, "error directive: %.*s", message.bytes, message.first);
}

[[noreturn]] void fail(Text place, Text message) {
  if (place.bytes != 0)
    hetmp::die(hetmp::exit_code::failure, "error directive at %.*s: %.*s", place.bytes, place.first, message.bytes,
               message.first);
  hetmp::die(hetmp::exit_code::failure, "error directive: %.*s", message.bytes, message.first);
}

} // namespace

HETMP_ENTRY void __kmpc_error(const SourceLocation* location, int severity, const char* message) {
  using namespace hetmp::runtime::ompt;
  if (observed()) [[unlikely]]
    tell_error(severity == severity_warning ? Severity::Warning : Severity::Fatal, message ? message : "",
               __builtin_return_address(0));
  const Text place = place_of(hetmp::runtime::source_text(location));
  if (severity != severity_warning)
    fail(place, text_of(message, SIZE_MAX));
  warn_as_libomp(place, text_of(message, SIZE_MAX));
}

/// C passes SIZE_MAX, Fortran the length.
HETMP_ENTRY void GOMP_warning(const char* message, size_t bytes) {
  const Text text = text_of(message, bytes);
  hetmp::say("error directive: %.*s", text.bytes, text.first);
}

HETMP_ENTRY void GOMP_error(const char* message, size_t bytes) { fail({}, text_of(message, bytes)); }
