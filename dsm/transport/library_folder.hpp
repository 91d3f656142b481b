// Where this library lies: its plugins lie beside it.
#pragma once

#include <string>

namespace hetmp::dsm {

/// Without a slash at the end; empty: it cannot be told.
std::string library_folder();

} // namespace hetmp::dsm
