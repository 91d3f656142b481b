// What people call a place in the program: by its source string, or else by symbols.
#pragma once

#include "perf/report/report_symbols.hpp"

#include <cstdint>
#include <string>

namespace hetmp::runtime {

/// The source string of an ident_t (";file;function;line;column;;"); null if there is none.
const char* source_of(const void* ident);

/// "file.c:12 function", or what the symbols say of the code at `address`.
std::string name_of_construct(uint64_t address, const char* source);

/// "file+0xoffset" of a code address, for addr2line; empty if no file is loaded there.
std::string place_of(uint64_t address);

/// "function, file+0x12", as far as it is known.
std::string text_of(const perf::CodePlace& place);

} // namespace hetmp::runtime
