// What each node keeps for itself of what is loaded: all that the service thread can reach, and what is a process's own
// by its nature.
//
// 1. hetmp's libraries, what they load (load_for_ourselves()) and what these are linked with, directly or not: they
//    serve the faults of all other memory.
// 2. The parts of the C library and its dynamic linker: whoever asks for symbols of the version GLIBC_PRIVATE is one.
// 3. A few run-time libraries, by name, each for a reason (private_objects.cpp).
//
// All else is the program's, also what comes by LD_PRELOAD or in front of the C library's functions: its data are
// shared, as threads of one process would share them. Nothing of 1 is bound to it (direct_binding.hpp).
#pragma once

#include "base/loaded_object.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hetmp::dsm {

/// What the rule asks of a loaded object.
struct ObjectFacts {
  std::string name;                ///< its own, or else its file's
  std::vector<std::string> needed; ///< names of those it was linked with
  bool is_ours = false;            ///< a library of hetmp's, or loaded for it
  bool is_of_c_library = false;    ///< it asks for symbols that only parts of the C library may use
  uintptr_t begin = 0;             ///< its first address
};

/// All that is loaded, the program first; and what the rule asks of each.
std::vector<LoadedObject> loaded_objects();
std::vector<ObjectFacts> facts_of(const std::vector<LoadedObject>& objects);

/// What `load` brings into this process is as much hetmp's as its own libraries are, whoever asks for it. Which ones
/// that are depends on the machine: other nodes may have others, or none. One thread at a time.
void load_for_ourselves(const std::function<void()>& load);
bool was_loaded_for_ourselves(uintptr_t begin);

/// What this one was linked with, directly or not, the nearest first; without itself and the program, which is the
/// first.
std::vector<size_t> needed_by(size_t object, const std::vector<ObjectFacts>& objects);

/// The rule's first part: ours, and what ours need.
std::vector<bool> which_serve(const std::vector<ObjectFacts>& objects);

/// All of the rule: for each of them, whether it is private.
std::vector<bool> which_are_private(const std::vector<ObjectFacts>& objects);

/// Those of the objects that are private, or those that are not.
std::vector<LoadedObject> those_that_are(bool wanted, const std::vector<LoadedObject>& objects,
                                         const std::vector<bool>& are_private);

/// Those that only the program and each other call: no thread of hetmp's touches what they keep.
std::vector<bool> which_only_the_program_calls(const std::vector<ObjectFacts>& objects);
/// Private ones but those.
std::vector<bool> which_serve_the_process(const std::vector<ObjectFacts>& objects);

/// The addresses where private objects of this process begin, ascending.
std::vector<uintptr_t> find_private_objects();

} // namespace hetmp::dsm
