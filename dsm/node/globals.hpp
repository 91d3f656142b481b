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

/// Puts anonymous memory with the same content in the segments' place (userfaultfd serves only such memory here).
void make_anonymous(const std::vector<Segment>& segments);

/// The same for one mapping of a file that threads may be using: it changes in one step. What another thread writes between
/// that step and the copy before it is lost.
void make_anonymous(Segment range, int protection);

} // namespace hetmp::dsm
