// The writable data (.data, .bss) of the program and of its own shared objects, as memory that nodes can share.
#pragma once

#include "dsm/node/address_plan.hpp"

#include <vector>

namespace hetmp::dsm {

/// Page ranges of the writable data, ascending. Left out: RELRO (pointers that each process resolves alike), and the
/// data of the C and C++ runtime libraries, of the dynamic linker, of PAPI (it counts for one process) and of this project,
/// which stay private. So is what a library brings that is loaded later.
std::vector<Segment> find_globals();

/// Puts anonymous memory with the same content in the segments' place (userfaultfd serves only such memory here).
void make_anonymous(const std::vector<Segment>& segments);

} // namespace hetmp::dsm
