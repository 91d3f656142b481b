// What a compiler tells about the place of a construct, and how entries of this family find the calling thread.
#pragma once

#include "runtime/ompt/interface.hpp"
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

inline constexpr int32_t flag_explicit_barrier = 0x20; ///< the construct is `barrier`
inline constexpr int32_t flag_implicit_barrier = 0x40; ///< it is the end of a work-sharing construct,
inline constexpr int32_t flag_loop = 0x200;            ///< which is a loop, sections (above), or `distribute`
inline constexpr int32_t flag_distribute = 0x800;

inline bool is_sections(const SourceLocation* location) { return location && (location->flags & flag_sections) != 0; }

inline bool has_atomic_reduction(const SourceLocation* location) {
  return location && (location->flags & flag_atomic_reduction) != 0;
}

/// What a tool is told of the barrier.
inline ompt::SyncKind kind_of_barrier(const SourceLocation* location) {
  if (!location)
    return ompt::SyncKind::Barrier;
  if ((location->flags & flag_explicit_barrier) != 0)
    return ompt::SyncKind::BarrierExplicit;
  return (location->flags & flag_implicit_barrier) != 0 ? ompt::SyncKind::BarrierImplicitWorkshare
                                                        : ompt::SyncKind::BarrierImplementation;
}

inline const char* source_text(const SourceLocation* location) { return location ? location->text : nullptr; }

} // namespace hetmp::runtime
