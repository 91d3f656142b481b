// The writable data (.data, .bss) of the program and of its own shared objects, as memory that nodes can share.
#pragma once

#include "dsm/node/address_plan.hpp"

#include <string_view>
#include <vector>

namespace hetmp::dsm {

/// Page ranges of the writable data, ascending. Left out: RELRO (pointers that each process resolves alike), and the
/// data of the C and C++ runtime libraries, of the dynamic linker, of PAPI (it counts for one process) and of this project,
/// which stay private. With the window for objects that are loaded later (late_window.hpp), which this reserves.
std::vector<Segment> find_globals();

/// Whether each node keeps the data of the library with this path for itself.
bool stays_private(std::string_view path);
/// From now on the libraries whose file names begin so do, too. `name` is kept; one is enough.
void keep_private(std::string_view name);

/// Page ranges of the writable data that come out of files, the rest being anonymous memory from the beginning.
std::vector<Segment> find_file_data();

} // namespace hetmp::dsm
