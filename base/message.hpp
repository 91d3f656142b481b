// One-line messages to the user. A preloaded library is a guest: these are its only words on standard error.
#pragma once

namespace hetmp {

/// Writes "hetmp: <text>\n" to standard error with a single write(2). Allocates nothing, uses no stdio stream, and
/// therefore may be called from service threads and signal handlers. Longer lines than 1 KiB are cut, and
/// control characters are question marks.
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// say(), once for each call site's `flag` (static storage, initially false).
void say_once(bool& flag, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// say() behind libomp's words for a warning, with its number: "OMP: Warning #42: hetmp: <text>\n". For what libomp
/// warns of as well and somebody may look for.
void warn_as_libomp(int number, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// The same for what libomp tells at a user's wish, in its words only: "OMP: Info #254: <text>\n".
void inform_as_libomp(int number, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// say(), then ends the process at once with `exit_code`; atexit handlers do not run.
[[noreturn]] void die(int exit_code, const char* format, ...) __attribute__((format(printf, 2, 3)));

} // namespace hetmp
