// Files of the program that it maps while it runs on several nodes.
#pragma once

#include "dsm/space/address_plan.hpp"

#include <sys/types.h>

namespace hetmp::dsm {

class NodeProcess;

/// Whether map_file knows what it is: a regular file. Devices are not: the system maps them, on this node only.
bool can_map_file(int descriptor);

/// As mmap without an address. A mapping that is never written, or that is shared (between processes of one machine),
/// lies at the same address on every node; of one that is private and writable the nodes share a copy, made now. A
/// shared, writable mapping where nodes are on several machines is refused: ENOTSUP, said in a line.
void* map_file(NodeProcess& process, size_t bytes, int protection, int flags, int descriptor, off_t offset);

/// As munmap, of whole pages that map_file has given an address of its own.
/// mprotect of a mapping of a file. 0 or an errno value. A private one that is made writable is from then on of the
/// node that has mapped it alone, since no protocol keeps it in step: accesses of the others end in segmentation
/// faults.
int protect_file(NodeProcess& process, Segment range, int protection);

int unmap_file(NodeProcess& process, Segment range);

/// Copies the file's content from `offset` on to `target`, at most `bytes`; tells how much there was. 0 or an errno
/// value.
int read_file(void* target, size_t bytes, int descriptor, off_t offset, size_t* filled);

} // namespace hetmp::dsm
