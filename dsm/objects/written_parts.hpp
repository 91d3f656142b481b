// Where loaded objects keep what they write while the program runs.
#pragma once

#include "base/loaded_object.hpp"

#include <cstdint>
#include <vector>

namespace hetmp::dsm {

/// Whole pages.
struct WrittenPart {
  uintptr_t begin, end;
  bool contains(uintptr_t address) const { return begin <= address && address < end; }
};

/// Of the objects marked: not their code, nor what the dynamic linker has closed.
std::vector<WrittenPart> find_written_parts(const std::vector<LoadedObject>& objects,
                                            const std::vector<bool>& are_marked);

/// Whether the address lies in one of them.
bool contain(const std::vector<WrittenPart>& parts, uintptr_t address);

} // namespace hetmp::dsm
