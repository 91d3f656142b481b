// What of the slices goes into a core dump. They are address space of terabytes, which the kernel would go through page
// by page, and a dump would seem as large: so only what is, or has been, in use is left to it, in steps of 32 MiB.
#pragma once

#include "dsm/space/address_plan.hpp"

namespace hetmp::dsm {

/// Newly mapped address space of which nothing is in use: a slice, or something outside of all slices, which is never
/// included.
void leave_out_of_dumps(Segment range);

/// Of slices: this node begins to use it. Does nothing but look where it has. Any thread.
void include_in_dumps(Segment range);

} // namespace hetmp::dsm
