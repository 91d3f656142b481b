// What leads a program's code past the gates (gates.hpp) to what is each process's own: variables that it reaches by
// name, so that no thread of it may travel, and functions after whose call none may (ways_past_gates.hpp).
#pragma once

#include "base/loaded_object.hpp"
#include "dsm/objects/written_parts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hetmp::dsm {

/// The name, which stays, if a thread abroad that has the result of this function, or what it sets up, could go wrong:
/// it finds functions that have no gates, gives addresses of data that only its process has, or counts on the CPU time
/// of its process. Else null.
const char* way_past_gates(std::string_view function);

/// Whether a variable of a private object, written while the program runs, may be read abroad by this name all the
/// same.
bool is_alike_everywhere(std::string_view variable);

/// Which of the program's objects refers to which variable of that kind, in words; empty if none does. `objects`:
/// the program first.
/// `each_ones_own`: memory of private objects that is written while the program runs, and is not closed for guests.
std::string find_way_past_gates(const std::vector<LoadedObject>& objects, const std::vector<bool>& are_private,
                                const std::vector<WrittenPart>& each_ones_own);

} // namespace hetmp::dsm
