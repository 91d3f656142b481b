// Variables of libraries that programs read and write by their names: those of getopt(), the environment, and what is
// known of the time zone; the standard streams of C++. A program that the dynamic linker gives copies of its own, as
// most of gcc's, has them in its data, which nodes share. Others, as those of clang and all libraries, reach the
// library's by an address in a table, and these are each process's own.
#pragma once

#include "base/loaded_object.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hetmp::dsm {

class SharedVariables {
 public:
  enum class Kind : uint8_t {
    CLibrary,
    Streams, ///< before they are constructed: they point into themselves
  };

  /// Gives all the objects a copy of each such variable that one of the program's refers to, the library that has it
  /// among them, as the dynamic linker does for a program. `allocate`: memory that nodes share, which stays. Before the
  /// program's own code runs; for each kind once.
  void share(Kind kind, const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
             void* (*allocate)(size_t bytes));
  /// An object that was loaded later refers to the copies from now on, too.
  void give(const LoadedObject& object) const;
  /// Where the program has the variable that the dynamic linker finds at `variable`.
  void* of(void* variable) const;
  /// The streams have been constructed. So are now the library's own, which constructors of objects that are loaded
  /// later find: streams that write to the same place.
  void fill_in_streams() const;

 private:
  struct Copy {
    uintptr_t variable; ///< the library's own
    void* copy;
    Kind kind;
  };
  std::vector<Copy> copies_;
};

} // namespace hetmp::dsm
