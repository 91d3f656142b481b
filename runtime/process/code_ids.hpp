// Code of this process as other nodes know it. Messages between nodes name functions by CodeId; addresses become ids
// where a message is made, and ids become addresses where one is carried out. What code may lie in memory that node
// processes have in common, their fabric tells; within one process all memory is such.
#pragma once

#include "base/elf/code_id.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// The name of a function; none of null. Ends the program if other nodes cannot have that code. Not for the service
/// thread.
CodeId name_code(const void* function);
template <class Result, class... Arguments> CodeId name_code(Result (*function)(Arguments...)) {
  return name_code(reinterpret_cast<const void*>(function));
}

/// The name of code that was loaded with the program, which means the same in other runs of it; none of all other code.
CodeId name_lasting_code(const void* function);

/// The function of that name; null if nothing here is called so that can be executed. Not for the service thread.
const void* find_code(CodeId id);
template <class Function> Function find_function(CodeId id) {
  return reinterpret_cast<Function>(const_cast<void*>(find_code(id)));
}

} // namespace hetmp::runtime
