// The writable data (.data, .bss) of the program and of its own shared objects, as memory that nodes can share.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <vector>

namespace hetmp::dsm {

/// Page ranges of the writable data, ascending. Left out: RELRO (pointers that each process resolves alike), and the
/// data of objects that are private (private_objects.hpp). With the window for objects that are loaded later
/// (late_window.hpp), which this reserves.
std::vector<Segment> find_globals();

/// Page ranges of the writable data that come out of files, the rest being anonymous memory from the beginning.
std::vector<Segment> find_file_data();

} // namespace hetmp::dsm
