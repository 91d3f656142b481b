// Code of this process as other nodes know it. Messages between nodes name functions by CodeId; addresses become ids
// where a message is made, and ids become addresses where one is carried out.
#pragma once

#include "base/elf/code_id.hpp"

#include <cstdint>

namespace hetmp::runtime {

/// What code may lie in memory that all nodes have in common. Of node processes, set at the start; within one process
/// all memory is such (null).
struct SharedCode {
  bool (*may_hold)(const void* address) = nullptr; ///< whether it is such memory; asked by those who name code
  bool (*holds)(const void* address) = nullptr;    ///< and may be executed; asked by those who execute
};
extern SharedCode shared_code;

/// The name of a function; none of null. Ends the program if other nodes cannot have that code. Not for the service
/// thread.
CodeId name_code(const void* function);
template <class Result, class... Arguments> CodeId name_code(Result (*function)(Arguments...)) {
  return name_code(reinterpret_cast<const void*>(function));
}

/// The function of that name; null if nothing here is called so that can be executed. Not for the service thread.
const void* find_code(CodeId id);
template <class Function> Function find_function(CodeId id) {
  return reinterpret_cast<Function>(const_cast<void*>(find_code(id)));
}

} // namespace hetmp::runtime
