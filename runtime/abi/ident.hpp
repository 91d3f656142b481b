// What a compiler tells about the place of a construct, and how entries of this family find the calling thread.
#pragma once

#include "runtime/team/current_thread.hpp"

#include <cstdint>

/// libomp's ident_t.
struct SourceLocation {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char* text; ///< ";file;function;line;column;;", may be null
};

namespace hetmp::runtime {

inline constexpr int32_t flag_sections = 0x400;        ///< the construct is `sections`
inline constexpr int32_t flag_atomic_reduction = 0x10; ///< the reduction's atomic form has been emitted

inline bool is_sections(const SourceLocation* location) { return location && (location->flags & flag_sections) != 0; }

inline bool has_atomic_reduction(const SourceLocation* location) {
  return location && (location->flags & flag_atomic_reduction) != 0;
}

inline const char* source_text(const SourceLocation* location) { return location ? location->text : nullptr; }

} // namespace hetmp::runtime
