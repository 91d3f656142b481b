// Formatted text in memory (snprintf, sscanf and their like) by a thread that is executed on another node. Most formats
// need nothing but their arguments and the locale's tables. Those with wide characters, and messages of errors, work
// with what the C library loads when it first needs it, under locks of its process: for them the thread goes home.
#pragma once

#include <cstdint>
#include <string_view>

namespace hetmp::dsm {

/// Whether a format has no conversion but those of numbers, characters, strings and pointers, in the forms that both
/// families have.
bool is_plain_format(const char* format);

class TextAbroad {
 public:
  // Before there are other processes:

  /// To be called before a function that has a stand-in, to be at home.
  void set_way_home(void (*come_home)()) { come_home_ = come_home; }
  /// Which stand-in the C library's function of this name has; 0: none.
  static uintptr_t stand_in(std::string_view name);

 private:
  struct StandIns;

  void (*come_home_)() = nullptr;
};

} // namespace hetmp::dsm
