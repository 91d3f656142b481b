// What becomes of the memory that nodes share when the program calls fork(). The child is one process and no node: it
// goes on with copies of what its parent has, by itself. So the parent first brings what is elsewhere; and where it
// cannot be known whether the child's copy is right, any access of the child ends in a segmentation fault, never in
// zeros.
//
// Outside of parallel regions nothing moves meanwhile, and all is there.
#pragma once

namespace hetmp::dsm {

/// Before anything of the program can fork.
void prepare_for_forks();

} // namespace hetmp::dsm
