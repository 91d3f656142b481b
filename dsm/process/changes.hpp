// Changes that every node has to make: of the address space, or an address would stop meaning the same everywhere
// (protection of shared memory, mappings of files, objects that come late), and of what signals do. All calls but the
// last two do nothing elsewhere before there are other nodes.
//
// Whoever makes a change waits until all nodes have answered; their service threads carry it out at once, and it waits
// for nothing there but the kernel. What needs locks or shared memory (objects, unwind tables) is an errand
// (errands.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace hetmp::dsm {

/// Travels as it is, as data of a control message: nodes run the same library.
struct Change {
  enum class Kind : uint32_t {
    Protect,          ///< mprotect
    MapFile,          ///< an open file at a place that is free on every node; only between processes of one machine
    Unmap,            ///< what MapFile has mapped
    Load,             ///< the origin is to dlopen `path` with `flags`; it answers with the handle
    SetAction,        ///< sigaction: `protection` is the signal, `begin` its handler, `bytes` the mask's 64 signals
    RegisterFrames,   ///< `begin`: unwind tables of an object, in shared memory, that other nodes' loaders do not know
    ExecutableStacks, ///< from now on
    TellUse,          ///< no change: up to where the node uses part `offset` of its slice
  };
  Kind kind = Kind::Protect;
  int32_t protection = 0;
  int32_t flags = 0;       ///< MapFile: MAP_SHARED or MAP_PRIVATE; Load: RTLD_...; SetAction: SA_...
  int32_t descriptor = -1; ///< MapFile: processes of one machine share their descriptors
  uint64_t begin = 0;      ///< page aligned, but for RegisterFrames and SetAction
  uint64_t bytes = 0;
  int64_t offset = 0;
  char path[1024] = {};
};

/// Makes the change here and then on all other nodes. Returns 0, or the errno value of a node that could not; nothing
/// is undone then. Any thread but the service thread; one change of a node at a time, the others wait.
int change_everywhere(const Change& change);
/// The same, without this node.
int change_elsewhere(const Change& change);
/// Only node `node`, which is not this one, makes it, and has something to say.
int change_at(const Change& change, uint32_t node, uint64_t* result);

/// Some shared memory may be anything but readable and writable, whichever node has made it so.
bool protection_differs();

/// Service thread: another node wants the change.
void change_arrived(uint32_t from, const void* data, size_t bytes);
/// Service thread: another node has made the change that this one has asked for, or could not.
void change_answered(int error, uint64_t result);

} // namespace hetmp::dsm
