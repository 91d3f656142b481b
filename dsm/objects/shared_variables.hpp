// Variables of the C library that programs read and write by their names: those of getopt(), the environment, and what
// is known of the time zone. A program that the dynamic linker gives copies of its own, as most of gcc's, has them in
// its data, which nodes share. Others, as those of clang and all libraries, reach the library's by an address in a
// table, and these are each process's own.
#pragma once

#include "base/loaded_object.hpp"

#include <vector>

namespace hetmp::dsm {

/// Gives all the objects a copy of each such variable that one of the program's refers to, the library that has it
/// among them, as the dynamic linker does for a program. `allocate`: memory that nodes share, which stays. Before the
/// program's own code runs.
void share_variables(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
                     void* (*allocate)(size_t bytes));

} // namespace hetmp::dsm
