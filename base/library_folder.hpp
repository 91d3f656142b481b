// Where plugins are looked for.
#pragma once

#include <string>

namespace hetmp {

/// The folder of the library or program that holds `code`, links followed: the runtime has many names, in a folder of
/// their own. "." if that cannot be told.
std::string library_folder(const void* code);

} // namespace hetmp
