// Names for addresses of the running program, from the symbol tables of its own file and of its shared
// objects. For the report: it reads files, so not for anything that is in a hurry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hetmp::perf {

struct Variable {
  std::string name; ///< demangled
  uint64_t begin = 0;
  uint64_t bytes = 0;
  bool operator==(const Variable&) const = default;
};

/// The variables (of .symtab, or of .dynsym where that is stripped) that overlap [begin, end), by address. Of
/// several names for the same bytes the first.
std::vector<Variable> variables_in(uint64_t begin, uint64_t end);

struct CodePlace {
  std::string object;   ///< file name without folders; empty = no code of a file is there
  std::string function; ///< demangled; empty = unknown
  uint64_t offset = 0;  ///< from where the object is loaded: what addr2line wants
};

CodePlace code_at(uint64_t address);

} // namespace hetmp::perf
