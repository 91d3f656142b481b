// Other OpenMP runtimes in the process: libgomp, libomp, another copy of this one. Whose entries do the program and its
// libraries call?
//
// A runtime that is merely loaded does no harm, nor do two that serve different libraries, beyond more threads than
// CPUs. But code that calls two of them at once gets wrong answers: in a region of the one, the other knows of no
// thread but the first.
#pragma once

#include "base/loaded_object.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::runtime {

/// Of an OpenMP entry; `target` is the address it is bound to, or will be, 0 if that is not known.
using EntryReference = LoadedObject::Reference;

/// The program or a library as far as OpenMP is concerned.
struct OpenMPObject {
  std::string path;
  uintptr_t begin, end; ///< addresses that it occupies
  bool is_runtime;      ///< it answers omp_get_thread_num() itself
  std::vector<EntryReference> references;
};

/// Another runtime, and whose references lead to it.
struct OtherRuntime {
  std::string path;
  std::vector<std::string> users;
  bool operator==(const OtherRuntime&) const = default;
};

/// An object with references to this runtime and to another one, an example of each.
struct DividedObject {
  std::string path;
  std::string entry_here;
  std::string entry_there;
  std::string there; ///< the other runtime's file
  bool operator==(const DividedObject&) const = default;
};

/// Those of `objects` that are runtimes but not the one at `own`. Pure.
std::vector<OtherRuntime> other_runtimes(const std::vector<OpenMPObject>& objects, uintptr_t own);

/// Pure as well.
std::vector<DividedObject> divided_objects(const std::vector<OpenMPObject>& objects, uintptr_t own);

// ---- the edges

/// Of the entries that every OpenMP program uses some of, how many lead to this library when the program, or what has
/// loaded this library, looks for them. A few lookups by the dynamic linker. None: we are merely loaded, and another
/// runtime answers.
enum class EntriesHere : uint8_t { All, Some, None };
EntriesHere entries_that_lead_here();

/// A line for each other runtime: its file and who uses it.
std::vector<std::string> other_runtimes_in_words();

/// One line if an object of this process is divided; looks for them only if not all entries lead here.
void warn_of_divided_objects();

} // namespace hetmp::runtime
