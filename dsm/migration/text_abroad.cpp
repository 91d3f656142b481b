#include "dsm/migration/text_abroad.hpp"

#include "dsm/migration/as_host.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

extern "C" {
// Of the C library, under the names that programs are bound to.
int __isoc99_vsscanf(const char* text, const char* format, va_list arguments);
int __vsnprintf_chk(char* text, size_t most, int flag, size_t room, const char* format, va_list arguments);
int __vsprintf_chk(char* text, int flag, size_t room, const char* format, va_list arguments);
}

namespace hetmp::dsm {

bool is_plain_format(const char* format) {
  while ((format = strchr(format, '%'))) {
    ++format;
    format += strspn(format, "0123456789.*$ +-#");
    const bool is_long = *format == 'l';
    format += strspn(format, "hljztqL");
    if (*format == 0 || !strchr(is_long ? "diouxXeEfFgGaA" : "%diouxXeEfFgGaAcsp", *format))
      return false;
    ++format;
  }
  return true;
}

/// Each calls the function that takes the arguments as a list, where the thread is or at home.
struct TextAbroad::StandIns {
  HETMP_IN_PLACE static void be_where(const char* format) {
    if (!is_plain_format(format))
      this_process.text->come_home_();
  }

  HETMP_STAND_IN static int vsnprintf(char* text, size_t most, const char* format, va_list arguments) {
    be_where(format);
    return ::vsnprintf(text, most, format, arguments);
  }
  HETMP_STAND_IN static int vsprintf(char* text, const char* format, va_list arguments) {
    be_where(format);
    return ::vsprintf(text, format, arguments);
  }
  HETMP_STAND_IN static int vsnprintf_chk(char* text, size_t most, int flag, size_t room, const char* format,
                                          va_list arguments) {
    be_where(format);
    return __vsnprintf_chk(text, most, flag, room, format, arguments);
  }
  HETMP_STAND_IN static int vsprintf_chk(char* text, int flag, size_t room, const char* format, va_list arguments) {
    be_where(format);
    return __vsprintf_chk(text, flag, room, format, arguments);
  }
  HETMP_STAND_IN static int vsscanf(const char* text, const char* format, va_list arguments) {
    be_where(format);
    return __isoc99_vsscanf(text, format, arguments);
  }

  HETMP_STAND_IN static int snprintf(char* text, size_t most, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsnprintf(text, most, format, arguments);
    va_end(arguments);
    return result;
  }
  HETMP_STAND_IN static int sprintf(char* text, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsprintf(text, format, arguments);
    va_end(arguments);
    return result;
  }
  HETMP_STAND_IN static int snprintf_chk(char* text, size_t most, int flag, size_t room, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsnprintf_chk(text, most, flag, room, format, arguments);
    va_end(arguments);
    return result;
  }
  HETMP_STAND_IN static int sprintf_chk(char* text, int flag, size_t room, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsprintf_chk(text, flag, room, format, arguments);
    va_end(arguments);
    return result;
  }
  HETMP_STAND_IN static int sscanf(const char* text, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int result = vsscanf(text, format, arguments);
    va_end(arguments);
    return result;
  }
};

uintptr_t TextAbroad::stand_in(std::string_view name) {
  const StandIn all[] = {
      {"snprintf", StandIns::snprintf},           {"sprintf", StandIns::sprintf},
      {"__snprintf_chk", StandIns::snprintf_chk}, {"__sprintf_chk", StandIns::sprintf_chk},
      {"__isoc99_sscanf", StandIns::sscanf},      {"vsnprintf", StandIns::vsnprintf},
      {"vsprintf", StandIns::vsprintf},           {"__vsnprintf_chk", StandIns::vsnprintf_chk},
      {"__vsprintf_chk", StandIns::vsprintf_chk}, {"__isoc99_vsscanf", StandIns::vsscanf},
  };
  for (const StandIn& one : all)
    if (one.name == name)
      return one.address;
  return 0;
}

} // namespace hetmp::dsm
